ALTER TABLE `events` ADD `event_status_reason` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `previous_start_date` text DEFAULT '' NOT NULL;