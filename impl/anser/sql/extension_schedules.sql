-- What honker's schedules lack in files that older honkers made (STO-5). The first honkers could not pause one.

-- name: _honker_scheduler_tasks__enabled
alter table _honker_scheduler_tasks add column enabled integer not null default 1

-- name: _honker_scheduler_tasks__max_attempts
alter table _honker_scheduler_tasks add column max_attempts integer not null default 3
