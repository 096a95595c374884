CREATE TABLE `import_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source_id` integer NOT NULL,
	`began_utc` text NOT NULL,
	`ended_utc` text,
	`counts` text NOT NULL,
	FOREIGN KEY (`source_id`) REFERENCES `import_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `import_runs_source` ON `import_runs` (`source_id`,`id`);--> statement-breakpoint
CREATE TABLE `import_sources` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`keeps_ids` integer NOT NULL,
	`pages` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `import_sources_url` ON `import_sources` (`url`);--> statement-breakpoint
CREATE TABLE `imports` (
	`source_id` integer NOT NULL,
	`kind` text NOT NULL,
	`remote_id` integer NOT NULL,
	`record_id` integer NOT NULL,
	`digest` text NOT NULL,
	`version` text NOT NULL,
	`made_run` integer,
	`run_id` integer NOT NULL,
	`gone` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`source_id`, `kind`, `remote_id`),
	FOREIGN KEY (`source_id`) REFERENCES `import_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imports_record` ON `imports` (`kind`,`record_id`);--> statement-breakpoint
CREATE INDEX `imports_made` ON `imports` (`made_run`);