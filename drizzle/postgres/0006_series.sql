CREATE TABLE "almanac"."occurrences" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"series_id" bigint NOT NULL,
	"recurrence_id" text NOT NULL,
	"overrides" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."series" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"rrule" text NOT NULL,
	"rdate" json NOT NULL,
	"exdate" json NOT NULL,
	"until" text NOT NULL,
	"next_utc" text
);
