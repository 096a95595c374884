-- A part of an index of texts is written anew once half of it is of texts that are gone. FTS5's own tenth rewrote most of the index
-- with every update: that took longer than all else of a write.
INSERT INTO search (search, rank) VALUES ('deletemerge', 50);
INSERT INTO sealed (sealed, rank) VALUES ('deletemerge', 50);
INSERT INTO grams (grams, rank) VALUES ('deletemerge', 50);
