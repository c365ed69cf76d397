// The data of a view as files. The token travels in a header, so the page fetches and hands the browser a
// file; a plain link would need the token in its URL.
import { useState } from 'preact/hooks';
import { ask, withQuery } from '../api/client';
import { csv, type Cell } from '../format/csv';

export interface ServerTables {
  path: string; // of the view's request, without format
  tables: string[]; // the first is the default
}

function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the blob behind the click; a page open all day must not keep it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function saveFrom(path: string, name: string): Promise<void> {
  const reply = await ask(path);
  save(await reply.blob(), name);
}

export function Downloads({ server, name }: { server: ServerTables; name: string }) {
  const [table, setTable] = useState(server.tables[0] ?? '');
  const [failed, setFailed] = useState('');
  const start = (work: Promise<void>): void => {
    setFailed('');
    work.catch((error: Error) => setFailed(error.message));
  };
  return (
    <span class="actions" role="group" aria-label="Download">
      {server.tables.length > 1 ? (
        <select aria-label="Table to download" value={table} onChange={(event) => setTable(event.currentTarget.value)}>
          {server.tables.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : null}
      <button
        type="button"
        onClick={() =>
          start(
            saveFrom(
              withQuery(server.path, { format: 'csv', table: server.tables.length > 1 ? table : null }),
              server.tables.length > 1 ? `${name}-${table}.csv` : `${name}.csv`,
            ),
          )
        }
      >
        CSV
      </button>
      <button type="button" onClick={() => start(saveFrom(server.path, `${name}.json`))}>
        JSON
      </button>
      {failed ? <span role="alert" class="loss">{failed}</span> : null}
    </span>
  );
}

// Of what only this page knows.
export function OwnDownloads({ name, header, rows, document: whole }: { name: string; header: string[]; rows: () => Cell[][]; document: () => unknown }) {
  return (
    <span class="actions" role="group" aria-label="Download">
      <button type="button" onClick={() => save(new Blob([csv(header, rows())], { type: 'text/csv' }), `${name}.csv`)}>
        CSV
      </button>
      <button type="button" onClick={() => save(new Blob([JSON.stringify(whole(), null, 2)], { type: 'application/json' }), `${name}.json`)}>
        JSON
      </button>
    </span>
  );
}
