CREATE TABLE `replica` (
	`id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`commit_id` text NOT NULL,
	`origin` text NOT NULL
);
