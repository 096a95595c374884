ALTER TABLE "almanac"."media" ADD COLUMN "captions" json DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."media" ALTER COLUMN "captions" DROP DEFAULT;
