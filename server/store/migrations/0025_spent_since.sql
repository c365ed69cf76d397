-- Since when a service's error budget is spent: whoever waits for it, or was stopped by it, asks.

ALTER TABLE services ADD COLUMN spent_since timestamptz;
COMMENT ON COLUMN services.spent_since IS 'When its budget was first told to be spent, of the time that it is so now; null: it is not spent, or not known';

CREATE FUNCTION note_spent_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.spent_since := CASE WHEN (NEW.budget ->> 'spent')::boolean THEN coalesce(OLD.spent_since, NEW.budget_at) END;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION note_spent_since IS 'Keeps services.spent_since, whoever writes the budget';
CREATE TRIGGER services_note_spent_since BEFORE UPDATE OF budget ON services
  FOR EACH ROW EXECUTE FUNCTION note_spent_since();
UPDATE services SET spent_since = budget_at WHERE (budget ->> 'spent')::boolean;
