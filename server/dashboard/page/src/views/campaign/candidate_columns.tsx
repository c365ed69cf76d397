import type { CandidateColumns } from '../../api/shapes_campaign';
import { count, fixed } from '../../format/number';
import { percent } from '../../format/reward';
import { moment, seconds } from '../../format/time';
import { pathTo } from '../../route/router';
import type { Column } from '../../table/column';
import { Badge } from '../../ui/badges';
import { IntervalMark, reachOf, RewardText } from '../../ui/interval';
import { confirmReward, costSeconds, label, raceReward, standing, textChange } from './candidate';

// A reach that 10,000 rows share is found from some hundred of them.
function reachOfMany(columns: CandidateColumns): number {
  const step = Math.max(1, Math.floor(columns.id.length / 500));
  const some = [];
  for (let row = 0; row < columns.id.length; row += step) {
    some.push(raceReward(columns, row));
  }
  return reachOf(some);
}

export function candidateColumns(columns: CandidateColumns, winner: string | null): Column[] {
  const reach = reachOfMany(columns);
  return [
    {
      key: 'number', title: '#', about: 'set and place in it', width: 84,
      sort: (row) => (columns.set[row] ?? 0) * 1e6 + (columns.index[row] ?? 0),
      cell: (row) => (
        <a href={pathTo('candidates', columns.id[row] ?? '')}>
          {label(columns, row)}
          {columns.id[row] === winner ? <span class="gain" title="winner"> ★<span class="unseen"> winner</span></span> : null}
        </a>
      ),
    },
    {
      key: 'reward', title: 'race', about: 'reward in the race, with its interval', width: 190, number: true,
      sort: (row) => columns.reward[row] ?? null, cell: (row) => <RewardText reward={raceReward(columns, row)} />,
    },
    { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={raceReward(columns, row)} reach={reach} /> },
    {
      key: 'standing', title: 'verdict or failure', width: 140, sort: (row) => standing(columns, row),
      cell: (row) => <span title={columns.reason[row] ?? ''}><Badge word={standing(columns, row)} /></span>,
    },
    {
      key: 'confirm', title: 'confirmed', about: 'measured again on fresh pairs', width: 190, number: true,
      sort: (row) => columns.confirm_reward[row] ?? null,
      cell: (row) => {
        const reward = confirmReward(columns, row);
        return reward ? <RewardText reward={reward} /> : <span class="quiet">{columns.confirm_state[row] ?? '–'}</span>;
      },
    },
    { key: 'pairs', title: 'pairs', width: 62, number: true, sort: (row) => columns.pairs[row] ?? null, cell: (row) => cellCount(columns.pairs[row]) },
    {
      key: 'noise', title: 'noise', about: 'standard deviation of a pair', width: 76, number: true, sort: (row) => columns.noise[row] ?? null,
      cell: (row) => (typeof columns.noise[row] === 'number' ? `${fixed((columns.noise[row] ?? 0) * 100, 2)} %` : '–'),
    },
    {
      key: 'cost', title: 'cost', about: 'build and runs', width: 88, number: true, sort: (row) => costSeconds(columns, row),
      cell: (row) => { const cost = costSeconds(columns, row); return cost === null ? '–' : seconds(cost); },
    },
    {
      key: 'text', title: 'text size', about: 'code of the binaries against the baseline', width: 86, number: true, sort: (row) => textChange(columns, row),
      cell: (row) => { const change = textChange(columns, row); return change === null ? '–' : percent(change); },
    },
    { key: 'origin', title: 'origin', width: 100, sort: (row) => columns.origin[row] ?? null, cell: (row) => columns.origin[row] ?? '–' },
    {
      key: 'measured', title: 'measured', width: 142, sort: (row) => columns.measured_at[row] ?? null,
      cell: (row) => { const at = columns.measured_at[row]; return at ? moment(new Date(at).toISOString()) : '–'; },
    },
    {
      key: 'note', title: 'what it changes', width: 260, sort: (row) => columns.note[row] ?? null,
      cell: (row) => <span class="mono" title={columns.note[row] ?? ''}>{columns.note[row] ?? `${count(columns.rules[row])} rules`}</span>,
    },
  ];
}

function cellCount(value: number | null | undefined): string {
  return typeof value === 'number' ? count(value) : '–';
}
