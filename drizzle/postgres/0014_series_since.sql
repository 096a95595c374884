ALTER TABLE "almanac"."series" ADD COLUMN "since" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."series" ALTER COLUMN "since" DROP DEFAULT;