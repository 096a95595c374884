CREATE TABLE `application_passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_utc` text NOT NULL,
	`last_used_utc` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `application_passwords_user` ON `application_passwords` (`user_id`);--> statement-breakpoint
CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`record_id` integer NOT NULL,
	`operation` text NOT NULL,
	`at_utc` text NOT NULL,
	`moved` text
);
--> statement-breakpoint
CREATE TABLE `documents` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL,
	`blanked` blob,
	`json_ld` blob NOT NULL,
	`refs` text,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `events` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`utc_start_date` text NOT NULL,
	`utc_end_date` text NOT NULL,
	`timezone` text NOT NULL,
	`all_day` integer DEFAULT false NOT NULL,
	`cost` text NOT NULL,
	`website` text DEFAULT '' NOT NULL,
	`show_map` integer DEFAULT false NOT NULL,
	`show_map_link` integer DEFAULT false NOT NULL,
	`hide_from_listings` integer DEFAULT false NOT NULL,
	`sticky` integer DEFAULT false NOT NULL,
	`featured` integer DEFAULT false NOT NULL,
	`ticketed` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `links` (
	`event_id` integer NOT NULL,
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`event_id`, `kind`, `target_id`),
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `links_target` ON `links` (`kind`,`target_id`,`event_id`);--> statement-breakpoint
CREATE TABLE `listed_links` (
	`event_id` integer NOT NULL,
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`start_day` integer NOT NULL,
	`start_date` text NOT NULL,
	`days` integer NOT NULL,
	`language` text NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `listed_links_target` ON `listed_links` (`kind`,`target_id`,`start_day`,`start_date`,`event_id`,`days`,`language`);--> statement-breakpoint
CREATE INDEX `listed_links_event` ON `listed_links` (`event_id`);--> statement-breakpoint
CREATE TABLE `listings` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`listed` integer NOT NULL,
	`status` text NOT NULL,
	`hidden` integer NOT NULL,
	`author_id` integer NOT NULL,
	`language` text NOT NULL,
	`parent_id` integer,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`utc_start_date` text NOT NULL,
	`utc_end_date` text NOT NULL,
	`start_day` integer NOT NULL,
	`days` integer NOT NULL,
	`featured` integer NOT NULL,
	`ticketed` integer NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `listings_listed` ON `listings` (`listed`,`start_day`,`start_date`,`event_id`,`days`,`language`,`end_date`);--> statement-breakpoint
CREATE INDEX `listings_featured` ON `listings` (`start_day`,`start_date`,`event_id`,`days`,`language`) WHERE listed = 1 and featured = 1;--> statement-breakpoint
CREATE INDEX `listings_parent` ON `listings` (`parent_id`);--> statement-breakpoint
CREATE TABLE `media` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`author_id` integer NOT NULL,
	`file` text NOT NULL,
	`mime_type` text NOT NULL,
	`extension` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`filesize` integer NOT NULL,
	`sizes` text NOT NULL,
	`origin_url` text,
	`date_utc` text NOT NULL,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_file` ON `media` (`file`);--> statement-breakpoint
CREATE INDEX `media_origin_url` ON `media` (`origin_url`);--> statement-breakpoint
CREATE TABLE `organizers` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`phone` text DEFAULT '' NOT NULL,
	`website` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`slug` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`excerpt` text DEFAULT '' NOT NULL,
	`author_id` integer NOT NULL,
	`language` text NOT NULL,
	`translation_group` integer,
	`image_id` integer,
	`parent_id` integer,
	`date` text NOT NULL,
	`date_utc` text NOT NULL,
	`modified` text NOT NULL,
	`modified_utc` text NOT NULL,
	`password_hash` text,
	`folded` text NOT NULL,
	`folded_title` text NOT NULL,
	`untrashed_slug` text,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`image_id`) REFERENCES `media`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`parent_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `posts_kind_slug` ON `posts` (`kind`,`slug`);--> statement-breakpoint
CREATE INDEX `posts_kind_status_date` ON `posts` (`kind`,`status`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `posts_kind_title` ON `posts` (`kind`,`folded_title`);--> statement-breakpoint
CREATE INDEX `posts_status_date_utc` ON `posts` (`status`,`date_utc`);--> statement-breakpoint
CREATE INDEX `posts_translation_group` ON `posts` (`translation_group`);--> statement-breakpoint
CREATE INDEX `posts_image` ON `posts` (`image_id`);--> statement-breakpoint
CREATE INDEX `posts_parent` ON `posts` (`parent_id`);--> statement-breakpoint
CREATE INDEX `posts_author` ON `posts` (`author_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `terms` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`taxonomy` text NOT NULL,
	`name` text NOT NULL,
	`folded_name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`parent_id` integer DEFAULT 0 NOT NULL,
	`language` text NOT NULL,
	`translation_group` integer,
	`count` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `terms_taxonomy_slug` ON `terms` (`taxonomy`,`slug`);--> statement-breakpoint
CREATE INDEX `terms_taxonomy_name` ON `terms` (`taxonomy`,`folded_name`);--> statement-breakpoint
CREATE INDEX `terms_parent` ON `terms` (`parent_id`);--> statement-breakpoint
CREATE INDEX `terms_translation_group` ON `terms` (`translation_group`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`expires_utc` text,
	`created_utc` text NOT NULL,
	`last_used_utc` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`login` text NOT NULL,
	`role` text NOT NULL,
	`disabled` integer DEFAULT false NOT NULL,
	`created_utc` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_login` ON `users` (`login`);--> statement-breakpoint
CREATE TABLE `venues` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`city` text DEFAULT '' NOT NULL,
	`country` text DEFAULT '' NOT NULL,
	`province` text DEFAULT '' NOT NULL,
	`state` text DEFAULT '' NOT NULL,
	`zip` text DEFAULT '' NOT NULL,
	`phone` text DEFAULT '' NOT NULL,
	`stateprovince` text DEFAULT '' NOT NULL,
	`website` text DEFAULT '' NOT NULL,
	`show_map` integer DEFAULT true NOT NULL,
	`show_map_link` integer DEFAULT true NOT NULL,
	`geo_lat` real,
	`geo_lng` real,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
