ALTER TABLE "almanac"."media" ADD COLUMN "alt_texts" json DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."media" ALTER COLUMN "alt_texts" DROP DEFAULT;
