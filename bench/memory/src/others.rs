//! The same notes in two other search libraries.

use crate::notes::Note;
use rusqlite::Connection;
use std::path::Path;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, Searcher, doc};

/// How many answers are asked for.
pub const ANSWERS: usize = 10;

/// What is searched of a note.
pub fn text_of(note: &Note) -> String {
    format!("{} {} {} {} {}", note.title, note.text, note.label, note.tags.join(" "), note.evidence.join(" "))
}

/// One field with English stems, merged into one segment and mapped.
pub struct Tantivy {
    searcher: Searcher,
    parser: QueryParser,
}

impl Tantivy {
    pub fn over(folder: &Path, notes: impl Iterator<Item = Note>) -> tantivy::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("en_stem")
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let number = schema.add_u64_field("number", STORED);
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 200_000_000)?;
        for (at, note) in notes.enumerate() {
            writer.add_document(doc!(text => text_of(&note), number => at as u64))?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        let searcher = index.reader()?.searcher();
        Ok(Self { searcher, parser: QueryParser::for_index(&index, vec![text]) })
    }

    pub fn ask(&self, question: &str) -> usize {
        let (query, _) = self.parser.parse_query_lenient(question);
        self.searcher.search(&query, &TopDocs::with_limit(ANSWERS)).map_or(0, |found| found.len())
    }
}

/// SQLite's full text search, with porter stems.
pub struct Fts5(Connection);

impl Fts5 {
    pub fn over(file: &Path, notes: impl Iterator<Item = Note>) -> rusqlite::Result<Self> {
        let mut connection = Connection::open(file)?;
        connection
            .execute_batch("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize = 'porter unicode61')")?;
        let transaction = connection.transaction()?;
        for note in notes {
            transaction.prepare_cached("INSERT INTO notes(text) VALUES (?1)")?.execute([text_of(&note)])?;
        }
        transaction.commit()?;
        connection.execute_batch("INSERT INTO notes(notes) VALUES ('optimize')")?;
        Ok(Self(connection))
    }

    pub fn ask(&self, question: &str) -> rusqlite::Result<usize> {
        let words: Vec<String> = question.split_whitespace().map(|word| format!("\"{word}\"")).collect();
        let sql = "SELECT rowid FROM notes WHERE notes MATCH ?1 ORDER BY rank LIMIT ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        let rows = statement.query_map((words.join(" OR "), ANSWERS), |row| row.get::<_, i64>(0))?;
        Ok(rows.count())
    }
}
