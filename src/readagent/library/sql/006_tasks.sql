-- What a reading was made for: the task of its plan, empty for the general reading, which serves any question.

ALTER TABLE readings ADD COLUMN task BLOB NOT NULL DEFAULT x'';

UPDATE readings SET task = CAST(coalesce(json_extract(CAST(plan AS TEXT), '$.task'), '') AS BLOB)
WHERE json_valid(CAST(plan AS TEXT));
