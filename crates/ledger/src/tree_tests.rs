//! The tree gives the hashes and proofs that Certificate Transparency published for RFC 6962.

use super::*;
use brainstem_base::hash::hex;
use std::convert::Infallible;

/// The leaves of the published vectors.
const LEAVES: [&[u8]; 8] = [
    b"",
    &[0x00],
    &[0x10],
    &[0x20, 0x21],
    &[0x30, 0x31],
    &[0x40, 0x41, 0x42, 0x43],
    &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
    &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
];

const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/// The complete subtrees over these leaves.
fn nodes_of(leaves: &[TreeHash]) -> impl FnMut(u32, u64) -> Result<TreeHash, Infallible> + '_ {
    |level, index| {
        let start = usize::try_from(index << level).expect("small");
        let mut tree = GrowingTree::default();
        leaves[start..start + (1 << level)].iter().for_each(|leaf| tree.push(*leaf));
        Ok(tree.root())
    }
}

fn published() -> Vec<TreeHash> {
    LEAVES.iter().map(|leaf| TreeHash::of_leaf(leaf)).collect()
}

fn some(count: u64) -> Vec<TreeHash> {
    (0..count).map(|n| TreeHash::of_leaf(&n.to_be_bytes())).collect()
}

fn hexes(path: &[TreeHash]) -> Vec<String> {
    path.iter().map(|hash| hex(hash.as_bytes())).collect()
}

#[test] // spec: LED-4b
fn the_roots_are_the_published_ones() {
    let leaves = published();
    let mut tree = GrowingTree::default();
    for (size, expected) in ROOTS.iter().enumerate() {
        assert_eq!(hex(tree.root().as_bytes()), *expected, "size {size}");
        let from_nodes = root(size as u64, &mut nodes_of(&leaves)).expect("there");
        assert_eq!(from_nodes, tree.root(), "size {size}");
        leaves.get(size).into_iter().for_each(|leaf| tree.push(*leaf));
    }
}

#[test] // spec: LED-4b
fn the_proofs_are_the_published_ones() {
    let leaves = published();
    let included = |index, size| hexes(&inclusion(index, size, &mut nodes_of(&leaves)).expect("there"));
    assert_eq!(included(0, 1), [""; 0]);
    assert_eq!(
        included(0, 8),
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ]
    );
    assert_eq!(
        included(5, 8),
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ]
    );
    assert_eq!(included(2, 3), ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]);
    assert_eq!(
        hexes(&consistency(6, 8, &mut nodes_of(&leaves)).expect("there")),
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ]
    );
}

#[test] // spec: LED-4b
fn every_leaf_proves_at_every_size_and_at_its_own_place_alone() {
    let leaves = some(33);
    for size in 1..=33 {
        let whole = root(size, &mut nodes_of(&leaves)).expect("there");
        for index in 0..size {
            let path = inclusion(index, size, &mut nodes_of(&leaves)).expect("there");
            let leaf = leaves[usize::try_from(index).expect("small")];
            assert!(is_included(leaf, index, size, &path, &whole), "{index} of {size}");
            assert!(!is_included(leaf, index + 1, size, &path, &whole), "{index} of {size}");
            assert!(!is_included(TreeHash::of_leaf(b"other"), index, size, &path, &whole));
            if let Some((_, shorter)) = path.split_last() {
                assert!(!is_included(leaf, index, size, shorter, &whole));
            }
            assert!(!is_included(leaf, index, size, &[&path[..], &[leaf]].concat(), &whole));
        }
    }
}

#[test] // spec: LED-4b
fn a_smaller_tree_is_proved_to_be_the_start_of_a_larger_one() {
    let leaves = some(33);
    let mut others = some(33);
    others[0] = TreeHash::of_leaf(b"other");
    for new in 0..=33 {
        let new_root = root(new, &mut nodes_of(&leaves)).expect("there");
        for old in 0..=new {
            let path = consistency(old, new, &mut nodes_of(&leaves)).expect("there");
            let old_root = root(old, &mut nodes_of(&leaves)).expect("there");
            assert!(is_consistent((old, &old_root), (new, &new_root), &path), "{old} of {new}");
            if old > 0 {
                let rewritten = root(old, &mut nodes_of(&others)).expect("there");
                assert!(!is_consistent((old, &rewritten), (new, &new_root), &path), "{old} of {new}");
            }
            if old > 0 && old < new {
                let longer = [&path[..], &[old_root]].concat();
                assert!(!is_consistent((old, &old_root), (new, &new_root), &longer));
                assert!(!is_consistent((new, &new_root), (old, &old_root), &path));
            }
        }
    }
}
