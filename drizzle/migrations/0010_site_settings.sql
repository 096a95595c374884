CREATE TABLE `site` (
	`id` integer PRIMARY KEY NOT NULL,
	`timezone` text NOT NULL,
	`languages` text NOT NULL,
	`currency` text NOT NULL,
	`derivation` integer NOT NULL
);
