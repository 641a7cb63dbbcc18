//! `seek`: finds claims.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::reading::feed::changed_meanwhile;
use crate::reading::filter::Filter;
use crate::reading::ranked_answers::{Answers, Faint, FeedQuestion};
use crate::reading::recall_store::RecallStore;
use crate::reading::row::Row;
use crate::reading::shared_rows;
use crate::reading::tier::Tier;
use crate::reading::withheld::HELD_BACK;
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_caller::Caller;
use brainstem_index::PublishUntil;
use brainstem_recall::rank::RankBy;
use brainstem_vault::scan::StoredClaim;
use std::path::PathBuf;

/// What to find.
#[derive(Clone, Debug)]
pub struct SeekRequest {
    /// Words or a sentence.
    pub query: String,
    /// Which stores.
    pub tier: Tier,
    /// A prefix of the claim's id or of an evidence path.
    pub scope: Option<String>,
    /// How many rows, at most.
    pub limit: usize,
    /// Which of their claims.
    pub filter: Filter,
    /// What decides about the order.
    pub by: RankBy,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// The rows, best first; empty for all brains.
    pub rows: Vec<Row>,
    /// The rows by origin, for all brains alone.
    pub groups: Option<Vec<Group>>,
    /// How many claims the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more, even if none was counted.
    pub uncounted: bool,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
}

/// The rows of one brain.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which brain.
    pub origin_brain: String,
    /// Its root, which tells two clones of one repository apart; the medulla has none.
    pub root: Option<PathBuf>,
    /// Its rows, best first.
    pub rows: Vec<Row>,
    /// How many claims it holds.
    pub memory_exists: usize,
}

/// One question of many.
#[derive(Clone, Debug)]
pub struct Question {
    /// Words or a sentence.
    pub query: String,
    /// Which stores.
    pub tier: Tier,
    /// How many answers, at most.
    pub limit: usize,
    /// What decides about the order.
    pub by: RankBy,
}

/// The stores that one tier means.
pub(crate) struct Stores {
    tier: Tier,
    /// Those that are ranked together, under the name of their group.
    pub(crate) feeds: Vec<(String, Vec<RecallStore>)>,
    gaps: Vec<Gap>,
}

/// Reads what is to decide about the order; absent means everything there is.
pub fn parse_by(text: Option<&str>) -> Result<RankBy, MemoryError> {
    match text {
        None | Some("all") => Ok(RankBy::All),
        Some("words") => Ok(RankBy::Words),
        Some("meaning") => Ok(RankBy::Meaning),
        Some(other) => Err(MemoryError::BadValue {
            field: "by",
            value: other.chars().take(40).collect(),
            what: "way to rank",
            takes: "words, meaning, or nothing for both and what surrounds a claim".into(),
            rule: "MEM-25",
        }),
    }
}

impl Memory {
    /// Finds the claims that speak of a question.
    pub fn seek(&self, caller: &Caller, request: &SeekRequest) -> Result<Sought, MemoryError> {
        self.at(caller)
            .read_whole(|sought: &mut Sought| &mut sought.gaps, |memory| memory.seek_once(caller, request))
    }

    fn seek_once(&self, caller: &Caller, request: &SeekRequest) -> Result<Sought, MemoryError> {
        let Stores { feeds, mut gaps, .. } = self.stores(caller, request.tier)?;
        let now = self.clock.now();
        // So far these gaps are brains that could not be read, and they count.
        let mut sought = Sought { uncounted: !gaps.is_empty(), ..Sought::default() };
        let (mut unread, mut looked_at, mut unreadable, mut is_any_let_through) = (0, 0, 0, false);
        let keep = |stored: &StoredClaim| is_inside(stored, request.scope.as_deref(), &request.filter);
        let keeps_all = request.scope.is_none() && request.filter.is_open();
        let asked = FeedQuestion {
            question: &request.query,
            limit: request.limit,
            room: usize::MAX,
            keep: &keep,
            by: request.by,
            faint: Faint::LeftOut,
        };
        for (origin_brain, feeds) in feeds {
            let all: Vec<&RecallStore> = feeds.iter().collect();
            let memory_exists =
                all.iter().map(|feed| feed.memory_exists()).sum::<usize>() - shared_rows::count(&all);
            sought.memory_exists += memory_exists;
            let read: Vec<&RecallStore> = all.iter().copied().filter(|feed| !feed.failed).collect();
            unreadable += read.iter().map(|feed| feed.unreadable()).sum::<usize>();
            looked_at +=
                read.iter().map(|feed| feed.memory_exists()).sum::<usize>() - shared_rows::count(&read);
            sought.uncounted |= all.iter().any(|feed| feed.is_uncounted());
            unread += feeds.iter().map(RecallStore::unread).sum::<usize>();
            // What is ranked together is ranked on its own words: no other brain moves a rank.
            let Answers { mut rows, gaps: held, changed, unread: late, .. } = self.answers(&all, &asked, now);
            is_any_let_through |=
                keeps_all || !rows.is_empty() || read.iter().any(|feed| feed.has_any_to_show(&keep));
            let named: Vec<Gap> = all.iter().flat_map(|feed| feed.held_back()).collect();
            gaps.extend(held.into_iter().filter(|gap| !named.contains(gap)));
            gaps.extend(named);
            gaps.extend(changed.then(|| changed_meanwhile(&origin_brain)));
            gaps.extend(late);
            let root = feeds.first().and_then(|feed| feed.root.clone());
            gaps.extend(feeds.into_iter().flat_map(|feed| feed.gaps));
            if request.tier == Tier::AllBrains {
                let groups = sought.groups.get_or_insert_default();
                if memory_exists > 0 {
                    groups.push(Group { origin_brain, root, rows, memory_exists });
                }
            } else {
                sought.rows.append(&mut rows);
            }
        }
        sought.gaps = gaps;
        sought.gaps.extend(self.unbound_gaps(caller, request.tier));
        let found =
            sought.rows.len() + sought.groups.iter().flatten().map(|group| group.rows.len()).sum::<usize>();
        let is_held = sought.gaps.iter().any(|gap| gap.name == HELD_BACK);
        // A store that could not be read may have an answer.
        if found == 0 && looked_at > 0 {
            let claims = match looked_at {
                1 => "1 claim exists here".to_owned(),
                count => format!("{count} claims exist here"),
            };
            let beside = match unreadable {
                0 => String::new(),
                1 => " beside 1 file that cannot be read".to_owned(),
                count => format!(" beside {count} files that cannot be read"),
            };
            let none = if is_held { "none that may be shown" } else { "none" };
            let inside = request.scope.as_ref().map(|scope| format!(" inside the scope {scope:?}"));
            let which = match (&inside, request.filter.is_open(), is_any_let_through) {
                (_, true, true) => {
                    format!("{none}{} was found for the question", inside.unwrap_or_default())
                }
                (_, false, true) => format!(
                    "{none}{} that the filters let through was found for the question",
                    inside.unwrap_or_default()
                ),
                (Some(inside), true, false) => format!("{none} is{inside}"),
                (_, _, false) => format!("the filters let {none}{} through", inside.unwrap_or_default()),
            };
            let mut detail = advice!["{claims}{beside}, but {which}; `", calls::list(), "` shows them"];
            if unread > 0 && is_any_let_through {
                // A copy and its witness are one claim, and two that the encoder reads.
                let count = unread.min(looked_at);
                detail.push(advice![
                    "; the encoder has not read {count} of them yet, so that what they mean was only guessed from their words: ",
                    calls::index(),
                    " has them read"
                ]);
            }
            sought.gaps.push(Gap::new("no_match", detail));
        }
        Ok(sought)
    }

    /// Answers many questions: the ids, best first. An id of all brains is `<brain>#<id>`. What could not
    /// be read is named beside the answers.
    ///
    /// A caller of many questions at once wants the best answers: better vectors that are missing are made first, and
    /// `report_progress` gets the number of claims that are done, and of all. `goes_on` is asked before each question:
    /// the ones behind the first no are not answered, so there are fewer answers than questions.
    pub fn seek_many(
        &self,
        caller: &Caller,
        questions: &[Question],
        filter: &Filter,
        report_progress: &dyn Fn(usize, usize),
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Vec<Vec<String>>, Vec<Gap>), MemoryError> {
        let (memory, reads) = self.noting_reads();
        let (answers, mut gaps) = memory.answer_many(caller, questions, filter, report_progress, goes_on)?;
        let unnamed = reads.unnamed_by(&gaps);
        gaps.extend(unnamed);
        Ok((answers, gaps))
    }

    fn answer_many(
        &self,
        caller: &Caller,
        questions: &[Question],
        filter: &Filter,
        report_progress: &dyn Fn(usize, usize),
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Vec<Vec<String>>, Vec<Gap>), MemoryError> {
        let mut all: Vec<Stores> = Vec::new();
        for question in questions {
            if !all.iter().any(|stores| stores.tier == question.tier) {
                all.push(self.stores(caller, question.tier)?);
            }
        }
        // A home of a newer program is only read, and so is every home by a caller that only looks.
        let may_write = !self.only_looks() && self.home.check_writable().is_ok();
        let feeds = all.iter().flat_map(|stores| &stores.feeds).flat_map(|(_, feeds)| feeds);
        for feed in feeds.filter(|_| may_write) {
            let index = self.index.of(&feed.store.paths().claims);
            let total = feed.memory_exists();
            index.publish(PublishUntil::EncodedSoon, goes_on, &|left| {
                report_progress(total.saturating_sub(left), total)
            });
        }
        let now = self.clock.now();
        let keep = |stored: &StoredClaim| is_inside(stored, None, filter);
        let mut late: Vec<Gap> = Vec::new();
        let answer = |question: &Question| -> Vec<String> {
            let stores = all.iter().find(|stores| stores.tier == question.tier);
            let asked = FeedQuestion {
                question: &question.query,
                limit: question.limit,
                room: usize::MAX,
                keep: &keep,
                by: question.by,
                faint: Faint::Last,
            };
            let mut rows: Vec<(&str, Row)> = Vec::new();
            for (origin, feeds) in stores.iter().flat_map(|stores| &stores.feeds) {
                let found = self.answers(&feeds.iter().collect::<Vec<_>>(), &asked, now);
                late.extend(found.changed.then(|| changed_meanwhile(origin)));
                late.extend(found.unread);
                rows.extend(found.rows.into_iter().map(|row| (origin.as_str(), row)));
            }
            if question.tier == Tier::AllBrains {
                rows.sort_by(|(_, a), (_, b)| b.why.score().total_cmp(&a.why.score()));
                rows.truncate(question.limit);
            }
            let name = |(origin, row): (&str, Row)| match question.tier {
                Tier::AllBrains => format!("{origin}#{}", row.id),
                Tier::Project | Tier::Medulla | Tier::Both => row.id,
            };
            rows.into_iter().map(name).collect()
        };
        let answers = questions.iter().take_while(|_| goes_on()).map(answer).collect();
        let mut gaps: Vec<Gap> = Vec::new();
        for stores in &all {
            let feeds = stores.feeds.iter().flat_map(|(_, feeds)| feeds);
            let held: Vec<Gap> = feeds.clone().flat_map(|feed| feed.held_back()).collect();
            let named = stores.gaps.iter().chain(feeds.flat_map(|feed| &feed.gaps)).cloned();
            for gap in named.chain(held).chain(self.unbound_gaps(caller, stores.tier)) {
                if !gaps.contains(&gap) {
                    gaps.push(gap);
                }
            }
        }
        for gap in late {
            if !gaps.contains(&gap) {
                gaps.push(gap);
            }
        }
        Ok((answers, gaps))
    }

    pub(crate) fn stores(&self, caller: &Caller, tier: Tier) -> Result<Stores, MemoryError> {
        if tier != Tier::AllBrains {
            let feeds = vec![(String::new(), self.feeds(caller, tier)?)];
            return Ok(Stores { tier, feeds, gaps: Vec::new() });
        }
        let (roster, gaps) = self.roster_with_gaps();
        let own = self.route(caller).brain().map(|brain| brain.root.clone());
        let feed = |brain: &brainstem_vault::Brain| match own.as_ref() == Some(&brain.root) {
            true => self.project_feed(brain),
            false => self.other_project_feed(brain),
        };
        let projects = roster.brains.iter().map(|brain| (brain.origin(), vec![feed(brain)]));
        let displaced = roster.displaced.iter();
        let displaced =
            displaced.map(|displaced| (displaced.brain.origin(), vec![self.displaced_feed(displaced)]));
        let projects = projects.chain(displaced);
        let medulla = std::iter::once_with(|| ("medulla".to_owned(), vec![self.medulla_feed()]));
        Ok(Stores { tier, feeds: projects.chain(medulla).collect(), gaps })
    }
}

fn is_inside(stored: &StoredClaim, scope: Option<&str>, filter: &Filter) -> bool {
    let in_scope = scope.is_none_or(|scope| {
        let mut paths = stored.claim.evidence.iter().map(|evidence| evidence.path.as_str());
        stored.id.starts_with(scope) || paths.any(|path| path.starts_with(scope))
    });
    in_scope && filter.passes(&stored.claim)
}
