//! Text of every kind, and what must hold for all of it.

use brainstem_recall_model::{Embed, Encoder, KernelPath, PieceTable, SPACE_ID, normalise};
use sha2::{Digest, Sha256};

fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\n\t\r",
        "\0",
        "\0\0text\0with\0nuls",
        "🦀🦀👩‍👩‍👧‍👦🇨🇭",
        "记忆和搜索",
        "メモリ 기억",
        "ذاكرة مشتركة للوكلاء",
        "זיכרון\u{202e}reversed\u{202c}",
        "\u{301}\u{302}\u{20dd}",
        "e\u{301}\u{301}\u{301}\u{301}",
        "\u{feff}bom \u{fffd} \u{e000} \u{10ffff}",
        "İIıſẞß ΣΑΣ ﬁ ǅ",
        "[CLS] [SEP] [UNK] [PAD] ##s ## _ __ ___",
        "aB1C_dEFGh___IJ",
        "' OR 1=1; -- <script>",
        "\u{f900}\u{2f800}\u{20000}",
        "\u{7f}\u{80}\u{9f}\u{ad}\u{200b}",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("a".repeat(1 << 20));
    texts.push("a ".repeat(1 << 19));
    texts.push("\u{301}".repeat(1 << 18));
    texts.push("aB".repeat(1 << 18));
    texts.push("\0".repeat(1 << 20));
    texts.push(".".repeat(1 << 18));
    texts.push(('\0'..=char::MAX).step_by(97).collect());
    texts
}

fn embedders() -> Vec<Box<dyn Embed>> {
    vec![Box::new(PieceTable::new()), Box::new(Encoder::new())]
}

#[test]
fn no_text_panics_and_every_vector_is_a_direction_or_nothing() {
    for embedder in embedders() {
        for text in hostile() {
            for vector in [embedder.document(&text), embedder.query(&text)] {
                let length = vector.dot(&vector).sqrt();
                let start: String = text.chars().take(20).collect();
                assert!((length - 1.0).abs() < 1e-4 || length == 0.0, "{start:?} has length {length}");
                assert!(vector.quantised().values.iter().all(|&value| value != i8::MIN));
            }
        }
    }
}

#[test]
fn the_same_text_gives_the_same_bits_in_any_order_and_on_any_thread() {
    let mut texts = hostile();
    texts.retain(|text| text.len() < 1 << 20);
    let encoder = Encoder::new();
    let forwards: Vec<_> = texts.iter().map(|text| encoder.document(text)).collect();
    let mut backwards: Vec<_> = texts.iter().rev().map(|text| encoder.document(text)).collect();
    backwards.reverse();
    assert!(forwards == backwards);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                assert!(texts.iter().map(|text| encoder.document(text)).eq(forwards.iter().cloned()))
            });
        }
    });
}

#[test]
fn all_paths_agree_on_a_text_of_the_greatest_length() {
    let text =
        "The cache must be flushed before every release, otherwise stale prices are shown. ".repeat(30);
    let vectors: Vec<_> =
        KernelPath::all().into_iter().map(|path| Encoder::on(path).document(&text)).collect();
    assert!(vectors.iter().all(|vector| *vector == vectors[0]));
    let longer = Encoder::new().document(&format!("{text} and what follows is not read"));
    assert!(longer == vectors[0]);
}

#[test]
fn identifiers_are_read_as_words() {
    for embedder in embedders() {
        let split = embedder.document("parse HTTP Header of mail send");
        assert!(embedder.document("parseHTTPHeader of mail_send") == split);
        assert_eq!(normalise(&normalise("parseHTTPHeader")), normalise("parseHTTPHeader"));
    }
}

#[test]
fn both_models_speak_of_the_same_things() {
    let (encoder, table) = (Encoder::new(), PieceTable::new());
    let document = encoder.document("The build fails on macOS when the SDK is newer than 14.");
    let other = encoder.document("Alice owns the billing service; Bob owns the search index.");
    let query = table.query("compile error on the mac");
    assert!(query.dot(&document) > query.dot(&other) + 0.1);
    for embedder in embedders() {
        assert!(embedder.id().starts_with(SPACE_ID));
    }
}

#[test]
fn the_weights_are_the_ones_that_were_measured() {
    let cases: [(&[u8], &str); 3] = [
        (
            include_bytes!("../weights/encoder-t3-i8.bin"),
            "8369f0c354793664935bb6a57d7c9e61aea0cf2b793ec9e0da27ce6233c51477",
        ),
        (
            include_bytes!("../weights/static-256-i8.bin"),
            "391bd3da1f7d87c7d92b219bb88c3a80fbb5a9deb2b785092ea7586c4c7c8413",
        ),
        (
            include_bytes!("../weights/vocab.txt"),
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        ),
    ];
    for (bytes, expected) in cases {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, expected);
    }
}
