import { useMemo } from 'preact/hooks';
import type { CandidateColumns } from '../../api/shapes_campaign';
import { count } from '../../format/number';
import { setQuery } from '../../route/router';
import type { Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { useOrder } from '../../table/use_order';
import { plainWord } from '../../ui/badges';
import { Panel } from '../../ui/panel';
import { standing } from './candidate';
import { candidateColumns } from './candidate_columns';
import { facet, isFiltered, type CandidateFilter } from './filter';

const kOrder: Order = { key: 'reward', down: true };

interface CandidatePanelProps {
  columns: CandidateColumns;
  rows: number[];
  filter: CandidateFilter;
  winner: string | null;
}

export function CandidatePanel({ columns, rows, filter, winner }: CandidatePanelProps) {
  const table = useMemo(() => candidateColumns(columns, winner), [columns, winner]);
  const [order, setOrder] = useOrder('order', table, kOrder);
  const standings = useMemo(() => facet(columns.id.length, (row) => standing(columns, row)), [columns]);
  const origins = useMemo(() => facet(columns.id.length, (row) => columns.origin[row] ?? null), [columns]);
  const total = columns.id.length;
  return (
    <Panel
      title="Candidates"
      flush
      actions={
        <div class="filters" role="search" aria-label="Filter candidates">
          <span role="status" class="quiet">
            {rows.length === total ? count(total) : `${count(rows.length)} of ${count(total)}`}
          </span>
          <label>
            <span class="unseen">Text in number, change, reason or origin</span>
            <input type="search" placeholder="licm, lib/x.c, a reason …" value={filter.text} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
          </label>
          <Choice name="verdict" value={filter.standing} values={standings} onChoose={(standing) => setQuery({ standing })} />
          <Choice name="origin" value={filter.origin} values={origins} onChoose={(origin) => setQuery({ origin })} />
          {isFiltered(filter) ? <button type="button" onClick={() => setQuery({ q: null, standing: null, origin: null })}>Clear</button> : null}
        </div>
      }
    >
      <DataTable caption="Candidates" columns={table} rows={rows} order={order} onOrder={setOrder} height={560}
        empty={total === 0 ? 'No candidate was proposed yet.' : 'No candidate is like this filter.'} />
    </Panel>
  );
}

function Choice({ name, value, values, onChoose }: { name: string; value: string; values: [string, number][]; onChoose: (value: string) => void }) {
  return (
    <label>
      {name}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">any</option>
        {values.map(([one, times]) => (
          <option key={one} value={one}>{`${plainWord(one)} (${count(times)})`}</option>
        ))}
        {value !== '' && !values.some(([one]) => one === value) ? <option value={value}>{plainWord(value)}</option> : null}
      </select>
    </label>
  );
}
