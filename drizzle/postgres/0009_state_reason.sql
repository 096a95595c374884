ALTER TABLE "almanac"."events" ADD COLUMN "event_status_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."events" ALTER COLUMN "event_status_reason" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "almanac"."events" ADD COLUMN "previous_start_date" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."events" ALTER COLUMN "previous_start_date" DROP DEFAULT;
