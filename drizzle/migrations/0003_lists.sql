-- Lists are made from these rows alone, read once into memory: links are looked up where they are kept.
DROP TABLE `listed_links`;
CREATE TABLE `listings_new` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`hidden` integer NOT NULL,
	`author_id` integer NOT NULL,
	`language` text NOT NULL,
	`parent_id` integer,
	`starts` integer NOT NULL,
	`ends` integer NOT NULL,
	`utc_starts` integer NOT NULL,
	`utc_ends` integer NOT NULL,
	`featured` integer NOT NULL,
	`ticketed` integer NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
INSERT INTO `listings_new` SELECT `event_id`, `status`, `hidden`, `author_id`, `language`, `parent_id`,
	unixepoch(`start_date`), unixepoch(`end_date`), unixepoch(`utc_start_date`), unixepoch(`utc_end_date`), `featured`, `ticketed`
	FROM `listings` ORDER BY `event_id`;
DROP TABLE `listings`;
ALTER TABLE `listings_new` RENAME TO `listings`;
ALTER TABLE `changes` DROP COLUMN `moved`;
-- All texts of events under a password, for those who may edit them; `search` holds their titles.
CREATE VIRTUAL TABLE sealed USING fts5(folded, content='', contentless_delete=1, detail=full, tokenize='trigram case_sensitive 1');
INSERT INTO sealed (rowid, folded) SELECT id, folded FROM posts WHERE kind = 'event' AND password_hash IS NOT NULL;
-- Which characters, and which pairs of them, occur in an event: words that have no trigram. A token is the code points in hex,
-- "61" or "61x62"; with an "s" in front it comes from a text under a password. Texts are cut in pieces first, since substr() counts from the start.
CREATE VIRTUAL TABLE grams USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii');
INSERT INTO grams (rowid, tokens) SELECT post.id, (
	WITH RECURSIVE
		whole (sign, folded) AS (
			SELECT '', iif(post.password_hash IS NULL, post.folded, post.folded_title)
			UNION ALL SELECT 's', post.folded WHERE post.password_hash IS NOT NULL),
		piece (sign, here, rest) AS (
			SELECT sign, substr(folded, 1, 33), substr(folded, 33) FROM whole
			UNION ALL SELECT sign, substr(rest, 1, 33), iif(length(rest) > 33, substr(rest, 33), '') FROM piece WHERE rest <> ''),
		place (sign, here, at) AS (
			SELECT sign, here, 1 FROM piece WHERE here <> ''
			UNION ALL SELECT sign, here, at + 1 FROM place WHERE at < length(here))
	SELECT group_concat(DISTINCT token) FROM (
		SELECT sign || printf('%x', unicode(substr(here, at, 1))) AS token FROM place
		UNION ALL SELECT sign || printf('%xx%x', unicode(substr(here, at, 1)), unicode(substr(here, at + 1, 1))) FROM place WHERE at < length(here))
) FROM posts AS post WHERE post.kind = 'event';
