ALTER TABLE "almanac"."externals" ADD COLUMN "versions" json DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."externals" ALTER COLUMN "versions" DROP DEFAULT;