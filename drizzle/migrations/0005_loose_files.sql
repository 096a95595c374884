CREATE TABLE `loose_files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`names` text NOT NULL,
	`given_up` integer NOT NULL
);
