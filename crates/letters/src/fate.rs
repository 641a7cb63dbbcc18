//! What became of each letter, computed from the graph of answers and stored nowhere.

use crate::kind::closes;
use crate::{Letter, LetterId};
use std::collections::{BTreeSet, HashMap};

/// What became of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It has no answer.
    WetInk,
    /// It has an answer, and is not closed.
    InFlight,
    /// A triage or a receipt closed it, or it closes another letter and was not contradicted.
    FiredClay,
    /// It is about a tool that is not this system's.
    External,
}

impl Fate {
    /// Every fate.
    pub const ALL: &[Self] = &[Self::WetInk, Self::InFlight, Self::FiredClay, Self::External];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WetInk => "wet_ink",
            Self::InFlight => "in_flight",
            Self::FiredClay => "fired_clay",
            Self::External => "external",
        }
    }

    /// The mark for people.
    pub fn mark(self) -> &'static str {
        match self {
            Self::WetInk => "●",
            Self::InFlight => "◍",
            Self::FiredClay => "↳",
            Self::External => "◌",
        }
    }

    /// Finds a fate by its word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|fate| fate.as_str() == text)
    }

    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::WetInk | Self::InFlight)
    }
}

/// How many letters have each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FateCounts {
    /// Without an answer.
    pub wet_ink: usize,
    /// Answered and not closed.
    pub in_flight: usize,
    /// Closed.
    pub fired_clay: usize,
    /// Not this system's to close.
    pub external: usize,
}

impl FateCounts {
    /// How many are still open; `external` never is.
    pub fn open(self) -> usize {
        self.wet_ink + self.in_flight
    }
}

impl FromIterator<Fate> for FateCounts {
    fn from_iter<I: IntoIterator<Item = Fate>>(fates: I) -> Self {
        let mut counts = Self::default();
        for fate in fates {
            match fate {
                Fate::WetInk => counts.wet_ink += 1,
                Fate::InFlight => counts.in_flight += 1,
                Fate::FiredClay => counts.fired_clay += 1,
                Fate::External => counts.external += 1,
            }
        }
        counts
    }
}

/// Answers that are in no letter's `answers`: resolved from prose when old letters were imported.
pub type References = HashMap<LetterId, Vec<LetterId>>;

/// The graph of answers over a set of letters.
pub struct Graph<'a> {
    letters: Vec<&'a Letter>,
    at: HashMap<&'a LetterId, usize>,
    /// For each letter, those it answers and that count.
    answers: Vec<Vec<usize>>,
    /// For each letter, those that answer it and count.
    answered_by: Vec<Vec<usize>>,
    /// For each letter, whether it was written through this home.
    is_of_this_home: Vec<bool>,
}

impl<'a> Graph<'a> {
    /// Reads the graph. A letter that is there twice counts once. An answer to an unknown letter does not count, and
    /// neither does one that leads back to its own letter, directly or through others.
    pub fn new(letters: impl IntoIterator<Item = &'a Letter>, references: &References) -> Self {
        let mut graph = Self {
            letters: Vec::new(),
            at: HashMap::new(),
            answers: Vec::new(),
            answered_by: Vec::new(),
            is_of_this_home: Vec::new(),
        };
        for letter in letters {
            if !graph.at.contains_key(&letter.id) {
                graph.at.insert(&letter.id, graph.letters.len());
                graph.letters.push(letter);
            }
        }
        let known = |id: &LetterId| graph.at.get(id).copied();
        let said: Vec<Vec<usize>> = graph
            .letters
            .iter()
            .map(|letter| {
                let more = references.get(&letter.id).into_iter().flatten();
                let ids: BTreeSet<usize> =
                    letter.answered().filter_map(|id| known(&id)).chain(more.filter_map(known)).collect();
                ids.into_iter().collect()
            })
            .collect();
        let circle = circles(&said);
        graph.answered_by = vec![Vec::new(); said.len()];
        for (from, targets) in said.iter().enumerate() {
            let counts: Vec<usize> =
                targets.iter().copied().filter(|to| circle[from] != circle[*to]).collect();
            for to in &counts {
                graph.answered_by[*to].push(from);
            }
            graph.answers.push(counts);
        }
        graph.is_of_this_home = vec![true; graph.letters.len()];
        graph
    }

    /// The graph, with the letters that were written through this home; without this call all were. For the others only
    /// a repository says that they were written, and by which agent.
    #[must_use]
    pub fn knowing_own(mut self, is_of_this_home: impl Fn(&LetterId) -> bool) -> Self {
        self.is_of_this_home = self.letters.iter().map(|letter| is_of_this_home(&letter.id)).collect();
        self
    }

    /// The letters, each once.
    pub fn letters(&self) -> impl Iterator<Item = &'a Letter> + '_ {
        self.letters.iter().copied()
    }

    /// What became of a letter; one that is not in the graph is unanswered.
    pub fn fate(&self, letter: &Letter, is_own_tool: &dyn Fn(&str) -> bool) -> Fate {
        if letter.tool.as_deref().is_some_and(|tool| !is_own_tool(tool)) {
            return Fate::External;
        }
        let answers = self.answering(&letter.id);
        if self.deciding(&letter.id).iter().any(|answer| answer.class.as_deref().is_some_and(closes)) {
            Fate::FiredClay
        } else if !answers.is_empty() {
            Fate::InFlight
        } else if letter.class.as_deref().is_some_and(closes) && !self.answered(&letter.id).is_empty() {
            // A letter that closes another needs no answer itself. If it were open, every close would open one, and the
            // count could never reach zero.
            Fate::FiredClay
        } else {
            Fate::WetInk
        }
    }

    /// The letters that answer a letter.
    pub fn answering(&self, id: &LetterId) -> Vec<&'a Letter> {
        self.neighbours(id, &self.answered_by)
    }

    /// The letters whose answer decides the fate of a letter. For a letter that was written through this home, only
    /// others of this home decide: anyone that can write to the repository can put a line into its box.
    pub fn deciding(&self, id: &LetterId) -> Vec<&'a Letter> {
        let Some(at) = self.at.get(id).copied() else { return Vec::new() };
        let decides = |other: &&usize| !self.is_of_this_home[at] || self.is_of_this_home[**other];
        self.answered_by[at].iter().filter(decides).map(|other| self.letters[*other]).collect()
    }

    /// The known letters that a letter answers.
    pub fn answered(&self, id: &LetterId) -> Vec<&'a Letter> {
        self.neighbours(id, &self.answers)
    }

    fn neighbours(&self, id: &LetterId, edges: &[Vec<usize>]) -> Vec<&'a Letter> {
        let at = self.at.get(id);
        at.map_or_else(Vec::new, |at| edges[*at].iter().map(|other| self.letters[*other]).collect())
    }
}

/// For each node, the number of the circle it is in: two nodes that reach each other share one. Tarjan's algorithm,
/// with a stack of its own, so that a long chain of answers cannot overflow the thread's.
fn circles(edges: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let len = edges.len();
    let (mut order, mut low, mut circle) = (vec![UNSEEN; len], vec![0; len], vec![UNSEEN; len]);
    let (mut path, mut next, mut count) = (Vec::new(), 0, 0);
    for start in 0..len {
        if order[start] != UNSEEN {
            continue;
        }
        // Each entry: a node, and how many of its edges were followed.
        let mut work = vec![(start, 0)];
        while let Some((node, followed)) = work.pop() {
            if followed == 0 {
                (order[node], low[node]) = (next, next);
                next += 1;
                path.push(node);
            }
            if let Some(to) = edges[node].get(followed).copied() {
                work.push((node, followed + 1));
                if order[to] == UNSEEN {
                    work.push((to, 0));
                } else if circle[to] == UNSEEN {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = path.pop() {
                    circle[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((above, _)) = work.last() {
                low[*above] = low[*above].min(low[node]);
            }
        }
    }
    circle
}
