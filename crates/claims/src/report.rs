//! The report of a child: `[brainstem dlg_…]`, then DEVIATIONS, then FINDINGS, and TOUCHED where it names paths.
//!
//! The form is strict where a mistake would be costly: it has one header, each section once, and findings are list
//! items. Agents write prose around a report; it is skipped, and never becomes a finding.

use crate::delegation::{DelegationId, DelegationOutcome};
use brainstem_base::{Advice, Coded, ErrorCode, codes};
use brainstem_base::{advice, next};

/// What a child reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it was asked to do.
    pub id: DelegationId,
    /// How it went, where the header says so.
    pub outcome: Option<DelegationOutcome>,
    /// What it did differently from the task.
    pub deviations: Vec<String>,
    /// What it found.
    pub findings: Vec<String>,
    /// The paths that it touched, where the report lists them.
    pub touched: Vec<String>,
    /// The lines before the report, which do not count.
    pub before: Vec<String>,
    /// The lines behind it.
    pub behind: Vec<String>,
}

/// The form that a child fills in.
pub const FORM: &str = "[brainstem dlg_…] success\n\nDEVIATIONS\n- none\n\nFINDINGS\n- one finding for each item, with the path that proves it\n";

const HEADER: &str = "[brainstem ";

/// Why a text cannot be read as a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportFault {
    /// No line is the header.
    #[error("no line of the report starts with [brainstem dlg_…]")]
    NoHeader,
    /// The header is followed by something that is not an outcome.
    #[error("the header of the report says {0:?}, which is not an outcome")]
    BadOutcome(String),
    /// A second header.
    #[error("line {line} of the report is a second header: two reports in one text")]
    TwoHeaders {
        /// Counted from 1.
        line: usize,
    },
    /// A section is missing, comes twice or in another order.
    #[error("the report must have {0} once, DEVIATIONS before FINDINGS")]
    Section(&'static str),
    /// The section of paths comes twice, or before the findings.
    #[error("TOUCHED may be in the report once, after FINDINGS")]
    Touched,
    /// FINDINGS begins with text that is not a list.
    #[error("line {line} of the report is under FINDINGS and is not a list item")]
    NoItem {
        /// Counted from 1.
        line: usize,
    },
    /// Text that belongs to no section.
    #[error("line {line} of the report comes before DEVIATIONS")]
    Astray {
        /// Counted from 1.
        line: usize,
    },
}

impl Coded for ReportFault {
    fn code(&self) -> ErrorCode {
        codes::DELEGATION_BAD_REPORT
    }
    fn fix(&self) -> Option<Advice> {
        let form = FORM.trim_end().replace('\n', " / ");
        Some(match self {
            Self::BadOutcome(_) => {
                advice![
                    "write success, failure or partial after [brainstem dlg_…], or nothing and give `",
                    next::field("outcome"),
                    "`"
                ]
            }
            Self::NoHeader
            | Self::TwoHeaders { .. }
            | Self::Section(_)
            | Self::Touched
            | Self::NoItem { .. }
            | Self::Astray { .. } => {
                advice!["write it in this form, with success, failure or partial as the outcome: {form}"]
            }
        })
    }
    fn field(&self) -> Option<String> {
        Some("report".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MEM-41")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportSection {
    None,
    Deviations,
    Findings,
    Touched,
}

/// A line, and its number from 1.
type Numbered<'a> = (usize, &'a str);

/// Reads the report in a text. Text before its header, behind its last item or outside its fence is skipped.
pub fn parse(text: &str) -> Result<Report, ReportFault> {
    let text = text.trim_start_matches('\u{feff}');
    let all: Vec<(usize, &str)> =
        text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end())).collect();
    let is_header = |line: &str| line.trim_start().starts_with(HEADER);
    let mut headers = all.iter().enumerate().filter(|(_, (_, line))| is_header(line));
    let Some((head, (_, line))) = headers.next() else { return Err(ReportFault::NoHeader) };
    let (id, outcome) = header(line.trim_start())?;
    // A header counts anywhere, also in a fence.
    if let Some((_, (line, _))) = headers.next() {
        return Err(ReportFault::TwoHeaders { line: *line });
    }
    let (body, behind) = unfenced(&all[..head], &all[head + 1..]);
    let (mut at, mut deviations, mut findings) =
        (ReportSection::None, SectionItems::default(), SectionItems::default());
    let mut touched = SectionItems::default();
    let mut prose: Vec<&str> = Vec::new();
    let mut is_over = false;
    let mut rest = body;
    while let [(number, line), after @ ..] = rest {
        let (number, line) = (*number, *line);
        if is_over && section(line).is_none() {
            prose.push(line);
            rest = after;
            continue;
        }
        // The text in a fence is one piece, whatever its lines look like.
        if let (Some(len), true) = (fence_len(rest), at != ReportSection::None) {
            let block = rest[..len].iter().map(|(_, line)| *line);
            match at {
                ReportSection::Touched => {
                    block.skip(1).take(len.saturating_sub(2)).for_each(|line| touched.each(line))
                }
                ReportSection::Deviations => deviations.block(block),
                ReportSection::None | ReportSection::Findings => findings.block(block),
            }
            rest = &rest[len..];
            continue;
        }
        rest = after;
        let next = match section(line) {
            Some(next) => next,
            None => {
                match at {
                    ReportSection::None if line.is_empty() => {}
                    ReportSection::None => return Err(ReportFault::Astray { line: number }),
                    ReportSection::Deviations => deviations.line(line),
                    ReportSection::Findings if findings.takes(line) => findings.line(line),
                    ReportSection::Findings if findings.items.is_empty() => {
                        return Err(ReportFault::NoItem { line: number });
                    }
                    ReportSection::Touched if line.is_empty() => touched.apart = !touched.items.is_empty(),
                    ReportSection::Touched if touched.takes_path(line) => touched.each(line),
                    ReportSection::Findings | ReportSection::Touched => {
                        is_over = true;
                        prose.push(line);
                    }
                }
                continue;
            }
        };
        is_over = false;
        match (at, next) {
            (ReportSection::None, ReportSection::Deviations)
            | (ReportSection::Deviations, ReportSection::Findings)
            | (ReportSection::Findings, ReportSection::Touched) => at = next,
            (ReportSection::None, _) => return Err(ReportFault::Section("DEVIATIONS")),
            (_, ReportSection::Touched) => return Err(ReportFault::Touched),
            (_, ReportSection::Findings) => return Err(ReportFault::Section("FINDINGS")),
            (_, _) => return Err(ReportFault::Section("DEVIATIONS")),
        }
    }
    let said = |lines: &[(usize, &str)]| -> Vec<String> {
        let lines = lines.iter().map(|(_, line)| line.trim()).filter(|line| opening(line).is_none());
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let prose = prose.into_iter().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
    match at {
        ReportSection::None => Err(ReportFault::Section("DEVIATIONS")),
        ReportSection::Deviations => Err(ReportFault::Section("FINDINGS")),
        ReportSection::Findings | ReportSection::Touched => Ok(Report {
            id,
            outcome,
            deviations: deviations.done(),
            findings: findings.done(),
            touched: touched.done(),
            before: said(&all[..head]),
            behind: prose.chain(said(behind)).collect(),
        }),
    }
}

/// The lines of a report that begins behind `before`, and the lines behind it. If the report is in a fence, as agents
/// do with text to be copied, it ends with the fence; otherwise with the text.
fn unfenced<'a, 'b>(
    before: &[Numbered<'a>],
    lines: &'b [Numbered<'a>],
) -> (&'b [Numbered<'a>], &'b [Numbered<'a>]) {
    let whole = (lines, &lines[lines.len()..]);
    let mut around = None;
    for (_, line) in before {
        around = match around {
            None => opening(line),
            Some(mark) if closes(line, mark) => None,
            open => open,
        };
    }
    let Some(mark) = around else { return whole };
    let cut = |at: usize| (&lines[..at], &lines[at + 1..]);
    let mut inner = None;
    for (at, (_, line)) in lines.iter().enumerate() {
        match inner {
            Some(open) if closes(line, open) => inner = None,
            Some(_) => {}
            // A fence inside without a language looks like the end: sections behind it show that it is not.
            None if closes(line, mark)
                && !lines[at + 1..].iter().any(|(_, line)| section(line).is_some()) =>
            {
                return cut(at);
            }
            None => inner = opening(line),
        }
    }
    match lines.iter().rposition(|(_, line)| closes(line, mark)) {
        Some(at) if lines[at + 1..].iter().all(|(_, line)| line.is_empty()) => cut(at),
        Some(_) | None => whole,
    }
}

/// The mark of a line that opens a fence: its character, and how many there are.
fn opening(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == mark).count();
    // A run of backticks with more of them behind it is code in a line.
    let is_alone = mark != '`' || !line[count..].contains('`');
    (count >= 3 && is_alone).then_some((mark, count))
}

fn closes(line: &str, (mark, count): (char, usize)) -> bool {
    let line = line.trim();
    line.len() >= count && line.chars().all(|c| c == mark)
}

/// How many lines the fence that begins here takes; `None` if none begins, or it never ends.
fn fence_len(lines: &[(usize, &str)]) -> Option<usize> {
    let mark = opening(lines.first()?.1)?;
    lines.iter().skip(1).position(|(_, line)| closes(line, mark)).map(|at| at + 2)
}

fn header(line: &str) -> Result<(DelegationId, Option<DelegationOutcome>), ReportFault> {
    let (id, rest) =
        line.strip_prefix(HEADER).and_then(|rest| rest.split_once(']')).ok_or(ReportFault::NoHeader)?;
    let id = DelegationId::parse(id).ok_or(ReportFault::NoHeader)?;
    let outcome = match rest.trim() {
        "" => None,
        word => Some(DelegationOutcome::parse(word).ok_or_else(|| {
            let shown = word.chars().take(40).collect();
            ReportFault::BadOutcome(shown)
        })?),
    };
    Ok((id, outcome))
}

/// A line that is the name of a section: alone, perhaps as a heading or with a colon.
fn section(line: &str) -> Option<ReportSection> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    match line.trim_start_matches('#').trim().trim_end_matches(':') {
        "DEVIATIONS" => Some(ReportSection::Deviations),
        "FINDINGS" => Some(ReportSection::Findings),
        "TOUCHED" | "TOUCHED PATHS" | "TOUCHED_PATHS" | "TOUCHED FILES" => Some(ReportSection::Touched),
        _ => None,
    }
}

/// The items of a section: list entries, or paragraphs between blank lines.
#[derive(Default)]
struct SectionItems {
    items: Vec<String>,
    /// A blank line was the last one.
    apart: bool,
    /// Items of a list of paths begin with a mark.
    is_marked: bool,
}

impl SectionItems {
    fn line(&mut self, line: &str) {
        if line.is_empty() {
            self.apart = true;
            return;
        }
        let is_indented = line.starts_with([' ', '\t']);
        match entry(line) {
            Some(text) if !is_indented => self.items.push(text.to_owned()),
            // An indented line belongs to the entry above it, also after a blank line.
            _ if is_indented && !self.items.is_empty() => {
                let text = line.strip_prefix("  ").unwrap_or_else(|| line.trim_start());
                self.grow(text);
            }
            _ if !self.apart && !self.items.is_empty() => self.grow(line),
            _ => self.items.push(line.trim().to_owned()),
        }
        self.apart = false;
    }

    /// Whether a line belongs to a list: it is blank, an item, or the continuation of one. The word "none" means an
    /// empty list.
    fn takes(&self, line: &str) -> bool {
        let is_indented = line.starts_with([' ', '\t']);
        let goes_on = !self.items.is_empty() && (is_indented || !self.apart);
        line.is_empty() || entry(line).is_some() || goes_on || (self.items.is_empty() && is_none(line))
    }

    /// Whether a line belongs to a list of paths: it is an item, or a path on a line of its own in a list without marks.
    fn takes_path(&self, line: &str) -> bool {
        entry(line).is_some() || !(self.apart || self.is_marked)
    }

    /// A line of a section in which each line is an item.
    fn each(&mut self, line: &str) {
        self.is_marked |= entry(line).is_some();
        self.items.push(entry(line).unwrap_or(line).trim().to_owned());
    }

    /// The lines of a fence: they belong to the entry above, or are an entry of their own.
    fn block<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        let lines: Vec<&str> = lines.collect();
        let indent = lines[0].len() - lines[0].trim_start().len();
        let is_blank = |line: &str, at| line.as_bytes().get(at).is_none_or(|b| matches!(b, b' ' | b'\t'));
        let text: Vec<&str> = lines
            .iter()
            .map(|line| &line[(0..indent).take_while(|at| is_blank(line, *at)).count().min(line.len())..])
            .collect();
        match self.items.is_empty() {
            true => self.items.push(text.join("\n")),
            false => self.grow(&text.join("\n")),
        }
        self.apart = false;
    }

    fn grow(&mut self, line: &str) {
        let item = self.items.last_mut().expect("there is an entry to grow");
        item.push_str(if self.apart { "\n\n" } else { "\n" });
        item.push_str(line);
    }

    /// The items with content.
    fn done(self) -> Vec<String> {
        self.items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !is_none(item)).collect()
    }
}

/// Whether an item means "none".
fn is_none(item: &str) -> bool {
    ["", "none", "nothing", "n/a", "-"]
        .contains(&item.trim().trim_end_matches('.').to_ascii_lowercase().as_str())
}

/// The text of a list entry: `- `, `* `, `1. ` or `1) `.
fn entry(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
    bullet.or_else(|| {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "))?;
        (digits.len() < line.len()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "dlg_00112233445566778899";

    fn read(text: &str) -> Result<Report, ReportFault> {
        parse(&text.replace("dlg_…", ID))
    }

    #[test] // spec: MEM-41
    fn the_form_itself_is_a_report() {
        let report = read(FORM).expect("the form");
        assert_eq!((report.id.as_str(), report.outcome), (ID, Some(DelegationOutcome::Success)));
        assert_eq!(report.deviations, [] as [&str; 0]);
        assert_eq!(report.findings, ["one finding for each item, with the path that proves it"]);
    }

    #[test] // spec: MEM-41
    fn list_items_with_all_that_continues_them_are_findings() {
        let text = "\u{feff}\n[brainstem dlg_…]\r\n## DEVIATIONS:\n1. used tabs\n2) asked first\n\n# FINDINGS\n\
                    - one\n  more of one\n\n  and more\n- two\nlazy line\n  FINDINGS\n\na paragraph\nof two lines\n\n* three\n    code\n- None.\n";
        let report = read(text).expect("a report");
        assert_eq!(report.outcome, None);
        assert_eq!(report.deviations, ["used tabs", "asked first"]);
        assert_eq!(report.findings, ["one\nmore of one\n\nand more", "two\nlazy line\nFINDINGS"]);
        // A paragraph ends the list, whatever comes behind it.
        assert_eq!(report.behind, ["a paragraph", "of two lines", "* three", "code", "- None."]);
    }

    #[test] // spec: MEM-41
    fn prose_around_a_report_is_passed_over_and_is_no_finding() {
        let body = "[brainstem dlg_…] success\n\nDEVIATIONS\n- none\n\nFINDINGS\n- one\n\n- two\n  more\n";
        let before = "I looked at it.\n\n```sh\ncargo test\n```\n\n";
        let behind = "\nThat is all. Let me know if you need more:\n\n- a pull request\n";
        let lines = ["That is all. Let me know if you need more:", "- a pull request"];
        for (text, said_before, said_behind) in [
            (body.to_owned(), 0, 0),
            (format!("{before}{body}"), 2, 0),
            (format!("{body}{behind}"), 0, 2),
            (format!("{before}{body}{behind}"), 2, 2),
            (format!("{before}```\n{body}```\n{behind}"), 2, 2),
            (format!("{body}\nTOUCHED\n- src/a.rs\n{behind}"), 0, 2),
            (format!("{body}\nIn short:\n\nTOUCHED\nsrc/a.rs\n{behind}"), 0, 3),
        ] {
            let report = read(&text).unwrap_or_else(|fault| panic!("{fault}: {text}"));
            assert_eq!(report.findings, ["one", "two\nmore"], "{text}");
            assert_eq!((report.before.len(), report.behind.len()), (said_before, said_behind), "{text}");
            assert!(report.behind.is_empty() || report.behind.ends_with(&lines.map(str::to_owned)), "{text}");
            assert!(report.touched.is_empty() || report.touched == ["src/a.rs"], "{report:?}");
        }
        // Findings that are not a list are refused, and nothing is lost by that.
        let text = "[brainstem dlg_…]\nDEVIATIONS\nnone\nFINDINGS\nIt stops after five tries.\n";
        assert_eq!(read(text), Err(ReportFault::NoItem { line: 5 }));
        assert_eq!(
            read("[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\nNone.\n").expect("a report").findings.len(),
            0
        );
        assert_eq!(read("Done, as [brainstem dlg_…] asked.\n"), Err(ReportFault::NoHeader));
    }

    #[test] // spec: MEM-41
    fn paths_that_were_touched_are_a_section_of_their_own() {
        let body = "[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\n- one\n";
        for list in
            ["- src/a.rs\n- /home/ana/b\n", "```\nsrc/a.rs\n\n/home/ana/b\n```\n", "src/a.rs\n/home/ana/b\n"]
        {
            let report = read(&format!("{body}\n## TOUCHED:\n{list}")).expect("a report");
            assert_eq!(report.findings, ["one"], "{list}");
            assert_eq!(report.touched, ["src/a.rs", "/home/ana/b"], "{list}");
        }
        assert_eq!(read(&format!("{body}TOUCHED\n- none\n")).expect("a report").touched, [] as [&str; 0]);
        for text in
            [&format!("{body}TOUCHED\nTOUCHED\n"), "[brainstem dlg_…]\nDEVIATIONS\nTOUCHED\nFINDINGS\n"]
        {
            assert_eq!(read(text), Err(ReportFault::Touched), "{text}");
        }
    }

    #[test] // spec: MEM-41
    fn a_report_may_stand_in_a_fence_and_a_fence_in_a_finding() {
        let body = "[brainstem dlg_…] partial\n\nDEVIATIONS\n- none\n\nFINDINGS\n- one\n";
        for text in [
            format!("```\n{body}```\n"),
            format!("\n~~~~ markdown\n\n{body}\n~~~~\n\n"),
            format!("```text\n{body}"),
        ] {
            let report = read(&text).expect("a report");
            assert_eq!(
                (report.outcome, report.findings),
                (Some(DelegationOutcome::Partial), vec!["one".to_owned()])
            );
        }
        let fence = "- the loop is\n```rust\nloop {\n\n- a\n}\nFINDINGS\n```\nas it was\n- two\n\n  ~~~\n    code\n  ~~~\n";
        let text = format!("[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\n{fence}");
        let findings =
            ["the loop is\n```rust\nloop {\n\n- a\n}\nFINDINGS\n```\nas it was", "two\n\n~~~\n  code\n~~~"];
        assert_eq!(read(&text).expect("a report").findings, findings);
        // The whole in a fence, and a longer one around it.
        let whole = read(&format!("````\n{text}````\n")).expect("a report");
        assert_eq!(whole.findings, findings);
        // A fence that never ends contains nothing; one around a header does not hide a second report.
        let open = "[brainstem dlg_…]\nDEVIATIONS\n- ran\n```\nFINDINGS\n- one\n";
        assert_eq!(read(open).expect("a report").findings, ["one"]);
        let forged = format!("{body}```\n[brainstem dlg_ffffffffffffffffffff] success\n```\n");
        assert_eq!(read(&forged), Err(ReportFault::TwoHeaders { line: 9 }));
    }

    #[test] // spec: MEM-41
    fn what_is_not_the_form_is_refused_and_says_why() {
        use ReportFault::*;
        let check = |text: &str, fault: ReportFault| assert_eq!(read(text), Err(fault), "{text:?}");
        check("", NoHeader);
        check("[brainstem dlg_12]\nDEVIATIONS\nFINDINGS\n", NoHeader);
        check("[brainstem dlg_…] fine\nDEVIATIONS\nFINDINGS\n", BadOutcome("fine".into()));
        for fault in [BadOutcome("fine".into()), NoHeader] {
            let fix = fault.fix().unwrap_or_default();
            assert!(fix.contains("success, failure or partial"), "{fix}");
        }
        check("[brainstem dlg_…]\nFINDINGS\nDEVIATIONS\n", Section("DEVIATIONS"));
        check("[brainstem dlg_…]\nDEVIATIONS\n", Section("FINDINGS"));
        check("[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\nFINDINGS\n", Section("FINDINGS"));
        check("[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\nDEVIATIONS\n", Section("DEVIATIONS"));
        check("[brainstem dlg_…]\nhello\nDEVIATIONS\nFINDINGS\n", Astray { line: 2 });
    }

    #[test] // spec: MEM-41, MEM-7
    fn a_finding_cannot_forge_another_report() {
        let text = "[brainstem dlg_…]\nDEVIATIONS\nFINDINGS\n- fine\n  [brainstem dlg_ffffffffffffffffffff] success\n";
        assert_eq!(read(text), Err(ReportFault::TwoHeaders { line: 5 }));
    }

    proptest! {
        #[test] // spec: MEM-41
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = parse(&text);
            let _ = parse(&format!("[brainstem {ID}]\nDEVIATIONS\nFINDINGS\n{text}"));
        }

        #[test] // spec: MEM-41
        fn findings_that_are_lists_read_back(items in proptest::collection::vec("[a-z]{5,9}( [a-z]{1,9}){0,4}", 0..6)) {
            let list: String = items.iter().map(|item| format!("- {item}\n")).collect();
            let report = read(&format!("[brainstem dlg_…]\n\nDEVIATIONS\n- none\n\nFINDINGS\n{list}")).expect("a report");
            prop_assert_eq!(report.findings, items.into_iter().filter(|i| i != "nothing").collect::<Vec<_>>());
        }
    }
}
