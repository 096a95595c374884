CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` integer NOT NULL,
	`kind` text NOT NULL,
	`record_id` integer NOT NULL,
	`operation` text NOT NULL,
	`seq` integer NOT NULL,
	`at_utc` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_utc` text NOT NULL,
	`first_utc` text,
	`tried_utc` text,
	`next_utc` text,
	`response_code` integer,
	`response_text` text,
	`error` text,
	`duration` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`,`status`,`id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`kinds` text NOT NULL,
	`operations` text NOT NULL,
	`filters` text NOT NULL,
	`interest` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until_utc` text,
	`position` integer NOT NULL,
	`created_utc` text NOT NULL,
	`last_success_utc` text,
	`tried_utc` text,
	`failing_since_utc` text,
	`gap_utc` text
);
