-- Where texts of events occur, by every three characters: words are found inside of words. Drizzle has no virtual tables.
CREATE VIRTUAL TABLE search USING fts5(folded, content='', contentless_delete=1, detail=full, tokenize='trigram case_sensitive 1');
