//! Resources: what a host can attach to a conversation by its address, without a call of the model (IF-9).
//!
//! They are the verbs `north`, `list`, `show` and `mail list` once more, with the same routing and the same checks; here
//! are only their addresses and the way a long list is cut into pages.

use crate::limits::{RESOURCES_LISTED_MAX, RESOURCES_PAGE};
use crate::recall_pages;
use crate::verb::run_with_gaps;
use crate::verbs::row::gaps;
use crate::verbs::{Gap, MailList, NorthAnswer, Row, Show, compose};
use crate::wire::percent_encoded;
use crate::{AnswerGaps, Context, answer_gaps};
use brainstem_base::{Fault, codes};
use brainstem_claims::fence::one_line;
use brainstem_claims::invisible_chars::visible;
use brainstem_memory::limits::BUDGET_DEFAULT;
use brainstem_memory::{Floor, ListRequest, Tier};
use std::cmp::Reverse;

/// The address of the beat.
pub const BEAT: &str = "brainstem://beat";

/// The addresses of claims, as a template (RFC 6570).
pub const CLAIM_TEMPLATE: &str = "brainstem://claims/{slug}{?tier}";

/// The addresses of mailboxes, as a template.
pub const MAIL_TEMPLATE: &str = "brainstem://mail/{box}";

/// What all are.
pub const MIME_TYPE: &str = "text/markdown";

const CLAIMS: &str = "brainstem://claims/";
const MAIL: &str = "brainstem://mail/";

/// The longest description of one resource, in characters.
const ABOUT_LEN_MAX: usize = 120;

/// One resource.
#[derive(Debug, PartialEq, Eq)]
pub struct ResourceItem {
    /// Its address.
    pub uri: String,
    /// Its name: a claim's label.
    pub name: String,
    /// What it is.
    pub about: String,
}

/// Some of the resources.
#[derive(Debug)]
pub struct ResourcePage {
    /// They, the youngest first.
    pub items: Vec<ResourceItem>,
    /// The cursor of the next page; `None` if this is the last.
    pub next: Option<String>,
    /// Older claims that no page lists; they can be read all the same.
    pub left_out: usize,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// Lists the beat and the youngest claims in reach, a page at a time. No secret is shown.
pub fn list(cursor: Option<&str>, cx: &Context) -> Result<ResourcePage, Fault> {
    let floor = cx.memory.floor();
    let mut page = answer_gaps::read_with_gaps(
        cx,
        |page: &mut ResourcePage| AnswerGaps::list(&mut page.gaps),
        |cx| listed(cursor, cx, &floor),
    )
    .map_err(|fault| floor.masked(&fault))?;
    for ResourceItem { uri, name, about } in &mut page.items {
        for text in [uri, name, about] {
            *text = floor.mask(text).into_owned();
        }
    }
    for gap in &mut page.gaps {
        gap.detail = visible(&floor.mask(&gap.detail));
    }
    Ok(page)
}

fn listed(cursor: Option<&str>, cx: &Context, floor: &Floor) -> Result<ResourcePage, Fault> {
    let after = cursor.map(Place::parse).transpose()?;
    let request = ListRequest {
        cursor: None,
        tier: Tier::parse(None)?,
        limit: usize::MAX,
        filter: cx.memory.filter(None, None, None, None)?,
    };
    let listed = cx.memory.list_names(&cx.reader()?, &request)?;
    let mut rows: Vec<(Place, Row)> =
        listed.rows.into_iter().map(Row::from).map(|row| (Place::of(&row), row)).collect();
    // An order that does not move when claims come and go between two pages.
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    let in_reach = rows.len();
    for is_medulla in [false, true] {
        let mut listed = 0;
        rows.retain(|(place, _)| {
            listed += usize::from(place.is_medulla == is_medulla);
            place.is_medulla != is_medulla || listed <= RESOURCES_LISTED_MAX
        });
    }
    let left_out = in_reach - rows.len();
    let mut items = Vec::new();
    if after.is_none() {
        let about = "What is remembered that matters here: project and medulla, most useful first.".into();
        items.push(ResourceItem { uri: BEAT.into(), name: "beat".into(), about });
    }
    let mut rest =
        rows.iter().filter(|(place, _)| after.as_ref().is_none_or(|after| place > after)).peekable();
    let mut last = None;
    while let Some((place, row)) = rest.next_if(|_| items.len() < RESOURCES_PAGE) {
        items.push(item(floor, row));
        last = Some(place);
    }
    let next = last.filter(|_| rest.peek().is_some()).map(Place::to_cursor);
    Ok(ResourcePage { items, next, left_out, gaps: gaps(&listed.gaps, cx.door) })
}

/// Reads one resource. No secret is shown.
pub fn read(uri: &str, cx: &Context) -> Result<String, Fault> {
    let floor = cx.memory.floor();
    let text = page_of(uri, cx).map_err(|fault| floor.masked(&floor.unrepeated(fault, [("uri", uri)])))?;
    Ok(visible(&floor.mask(&text)))
}

fn page_of(uri: &str, cx: &Context) -> Result<String, Fault> {
    if uri == BEAT {
        let page = |beat: &NorthAnswer| recall_pages::beat(beat, cx.door);
        let beat = compose(cx, String::new(), BUDGET_DEFAULT, &|beat| page(beat).len())?;
        return Ok(page(&beat));
    }
    if let Some(mailbox) = uri.strip_prefix(MAIL).and_then(unescaped).filter(|name| !name.is_empty()) {
        return Ok(recall_pages::mailbox(
            &mailbox,
            &run_with_gaps(|| Ok(MailList::of_box(&mailbox)), cx)?,
            cx.door,
        ));
    }
    let Some((label, tier)) = uri.strip_prefix(CLAIMS).and_then(claim_of) else {
        let shown: String = uri.chars().take(80).collect();
        return Err(Fault::new(codes::INPUT_BAD_VALUE, format!("there is no resource {shown:?}"))
            .fix(format!("read {BEAT}, {CLAIM_TEMPLATE} or {MAIL_TEMPLATE}; resources/list has them"))
            .field("uri")
            .rule("IF-9"));
    };
    let show = || Ok(Show { label: label.clone(), tier: tier.clone(), at: None, limit: None });
    Ok(recall_pages::claim(&run_with_gaps(show, cx)?))
}

/// The slug and the tier of an address, behind what all claims have in common.
fn claim_of(rest: &str) -> Option<(String, Option<String>)> {
    let (slug, query) = rest.split_once('?').map_or((rest, None), |(slug, query)| (slug, Some(query)));
    let tier = match query {
        None | Some("") => None,
        Some(query) => Some(unescaped(query.strip_prefix("tier=")?)?),
    };
    let slug = unescaped(slug).filter(|slug| !slug.is_empty())?;
    Some((slug, tier))
}

fn item(floor: &Floor, row: &Row) -> ResourceItem {
    // A link without a tier means the project first, so the link to a claim of the medulla names its tier.
    let tier = if row.tier == "medulla" { "?tier=medulla" } else { "" };
    // A part of a secret is not known as one, so that the text is masked before it is cut.
    let text = floor.mask(row.title.as_deref().unwrap_or(&row.text));
    let first = text.lines().find(|line| !line.trim().is_empty());
    let mut about = one_line(&format!("{}: {}", row.brief_origin(), first.unwrap_or_default().trim()));
    if about.chars().count() > ABOUT_LEN_MAX {
        about = about.chars().take(ABOUT_LEN_MAX - 1).chain(['…']).collect();
    }
    ResourceItem {
        uri: format!("{CLAIMS}{}{tier}", percent_encoded(&row.id)),
        name: one_line(&row.label),
        about,
    }
}

/// The place of a claim in the list: its project before the medulla, each the youngest first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    is_medulla: bool,
    born: Reverse<i64>,
    id: String,
}

impl Place {
    fn of(row: &Row) -> Self {
        let born = Reverse(row.created.unwrap_or(i64::MIN));
        Self { is_medulla: row.tier == "medulla", born, id: row.id.clone() }
    }

    fn to_cursor(&self) -> String {
        format!("{}.{}.{}", u8::from(self.is_medulla), self.born.0, self.id)
    }

    fn parse(cursor: &str) -> Result<Self, Fault> {
        let mut parts = cursor.splitn(3, '.');
        let is_medulla = match parts.next() {
            Some("0") => Some(false),
            Some("1") => Some(true),
            _ => None,
        };
        let born = parts.next().and_then(|born| born.parse().ok()).map(Reverse);
        match (is_medulla, born, parts.next()) {
            (Some(is_medulla), Some(born), Some(id)) => Ok(Self { is_medulla, born, id: id.to_owned() }),
            _ => Err(Fault::new(codes::INPUT_BAD_VALUE, "this cursor is none of this server's")
                .fix("list from the start, without a cursor")
                .field("cursor")
                .rule("IF-9")),
        }
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        bytes.push(if *first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            rest = after;
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
        } else {
            *first
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-9
    fn an_address_names_a_claim_and_perhaps_its_tier() {
        let plain = |slug: &str, tier: Option<&str>| Some((slug.to_owned(), tier.map(str::to_owned)));
        assert_eq!(claim_of("retry-policy"), plain("retry-policy", None));
        assert_eq!(claim_of("retry-policy?tier=medulla"), plain("retry-policy", Some("medulla")));
        assert_eq!(claim_of("a%2Fb%20c"), plain("a/b c", None), "a label, which show looks up; never a path");
        for odd in ["", "?tier=medulla", "a?b=c", "a%", "a%2", "a%zz", "a%ff"] {
            assert_eq!(claim_of(odd), None, "{odd:?}");
        }
    }

    #[test] // spec: IF-9
    fn escaping_comes_back() {
        for id in ["retry-policy", "a b/c?d#é%", ""] {
            assert_eq!(unescaped(&percent_encoded(id)).as_deref(), Some(id));
            assert!(percent_encoded(id).is_ascii());
        }
    }

    #[test] // spec: IF-9
    fn a_cursor_is_a_place_in_the_order() {
        let place = |is_medulla, born, id: &str| Place { is_medulla, born: Reverse(born), id: id.into() };
        let sorted =
            [place(false, 9, "b"), place(false, 5, "a"), place(false, 5, "b.c"), place(true, 9, "a")];
        assert!(sorted.is_sorted());
        for place in &sorted {
            assert_eq!(Place::parse(&place.to_cursor()).as_ref(), Ok(place));
        }
        for odd in ["", "0", "0.5", "2.5.a", "0.x.a"] {
            assert_eq!(Place::parse(odd).map_err(|fault| fault.field), Err(Some("cursor".into())), "{odd:?}");
        }
    }
}
