//! The index of literals: which rules to check at a position.
//!
//! Every literal is at least three bytes. A bit table over hashed three-byte windows rejects nearly every position with
//! one load; the rest walk a short chain. Both tables are made by the compiler, so a cold process starts with them.

use crate::hit::LiteralHit;
use crate::table::{LetterCase, RULES};

const BIT_COUNT_LOG2: u32 = 16;
const HEAD_COUNT_LOG2: u32 = 12;
const END: u16 = u16::MAX;

/// One literal in one spelling of its first three bytes.
#[derive(Clone, Copy)]
struct LiteralNode {
    rule: u16,
    key: u16,
    next: u16,
}

struct LiteralIndex {
    bits: [u64; 1 << (BIT_COUNT_LOG2 - 6)],
    heads: [u16; 1 << HEAD_COUNT_LOG2],
    nodes: [LiteralNode; NODE_COUNT],
}

const NODE_COUNT: usize = {
    let (mut count, mut rule) = (0, 0);
    while rule < RULES.len() {
        count += RULES[rule].keys.len() * spellings(RULES[rule].case);
        rule += 1;
    }
    count
};

static INDEX: LiteralIndex = build();

const fn spellings(case: LetterCase) -> usize {
    match case {
        LetterCase::Exact => 1,
        LetterCase::Folded => 8,
    }
}

const fn build() -> LiteralIndex {
    let mut index = LiteralIndex {
        bits: [0; 1 << (BIT_COUNT_LOG2 - 6)],
        heads: [END; 1 << HEAD_COUNT_LOG2],
        nodes: [LiteralNode { rule: 0, key: 0, next: END }; NODE_COUNT],
    };
    // Each chain grows at its head, so the last row goes in first and rows are checked in their order.
    let (mut count, mut rule) = (0, RULES.len());
    while rule > 0 {
        rule -= 1;
        let mut key = 0;
        while key < RULES[rule].keys.len() {
            let bytes = RULES[rule].keys[key].as_bytes();
            assert!(bytes.len() >= 3, "a literal of the table is shorter than three bytes");
            let mut spelling = 0;
            while spelling < spellings(RULES[rule].case) {
                let hash = hash(
                    spell(bytes[0], spelling),
                    spell(bytes[1], spelling >> 1),
                    spell(bytes[2], spelling >> 2),
                );
                // A byte without case gives the same window twice: the second is left out.
                if !is_repeat(bytes, spelling) {
                    let bit = (hash >> (32 - BIT_COUNT_LOG2)) as usize;
                    index.bits[bit / 64] |= 1 << (bit % 64);
                    let head = (hash >> (32 - HEAD_COUNT_LOG2)) as usize;
                    index.nodes[count] =
                        LiteralNode { rule: rule as u16, key: key as u16, next: index.heads[head] };
                    index.heads[head] = count as u16;
                    count += 1;
                }
                spelling += 1;
            }
            key += 1;
        }
    }
    index
}

const fn spell(byte: u8, spelling: usize) -> u8 {
    if spelling & 1 == 1 { byte.to_ascii_uppercase() } else { byte }
}

const fn is_repeat(bytes: &[u8], spelling: usize) -> bool {
    let mut at = 0;
    while at < 3 {
        if (spelling >> at) & 1 == 1 && bytes[at].to_ascii_uppercase() == bytes[at] {
            return true;
        }
        at += 1;
    }
    false
}

const fn hash(a: u8, b: u8, c: u8) -> u32 {
    (a as u32 | (b as u32) << 8 | (c as u32) << 16).wrapping_mul(0x9E37_79B1)
}

/// The next position, from `at` on, whose window may start a literal.
pub(crate) fn next_window(text: &[u8], at: usize) -> Option<usize> {
    let windows = text.get(at..)?.windows(3);
    let found = { windows }.position(|window| {
        let bit = (hash(window[0], window[1], window[2]) >> (32 - BIT_COUNT_LOG2)) as usize;
        INDEX.bits[bit / 64] >> (bit % 64) & 1 == 1
    });
    found.map(|skipped| at + skipped)
}

/// The literals that are at `at`.
pub(crate) fn hits(text: &[u8], at: usize) -> impl Iterator<Item = LiteralHit> {
    let rest = &text[at..];
    let mut node = END;
    if let [a, b, c, ..] = rest {
        node = INDEX.heads[(hash(*a, *b, *c) >> (32 - HEAD_COUNT_LOG2)) as usize];
    }
    std::iter::from_fn(move || {
        while node != END {
            let LiteralNode { rule, key, next } = INDEX.nodes[node as usize];
            node = next;
            let row = &RULES[rule as usize];
            let literal = row.keys[key as usize].as_bytes();
            let same = rest.get(..literal.len()).is_some_and(|here| match row.case {
                LetterCase::Exact => here == literal,
                LetterCase::Folded => here.eq_ignore_ascii_case(literal),
            });
            if same {
                return Some(LiteralHit { rule: rule as usize, start: at, end: at + literal.len() });
            }
        }
        None
    })
}
