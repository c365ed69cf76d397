// The tables of a canary: indicators as they stand, hard limits, and windows.
import { useMemo } from 'preact/hooks';
import type { Indicator, RatioColumns, WindowColumns } from '../../api/shapes_canary';
import { count, fixed, kNotMeasured } from '../../format/number';
import { percentOf } from '../../format/reward';
import { sliAbout, sliName, sliValue } from '../../format/sli';
import { moment } from '../../format/time';
import type { Column, Order } from '../../table/column';
import { DataTable } from '../../table/data_table';
import { range, useOrder } from '../../table/use_order';
import { Badge } from '../../ui/badges';
import { IntervalMark, reachOf } from '../../ui/interval';
import { worstWindow } from './ratio_data';
import { intervalOf, RatioText } from './ratio_text';

const kAsGiven: Order = { key: 'rule', down: false };

function share(logRatio: number | null): string {
  return logRatio === null ? '–' : `${fixed(percentOf(logRatio), 2)} %`;
}

export function IndicatorsTable({ indicators }: { indicators: Indicator[] }) {
  const columns = useMemo((): Column[] => {
    const at = (row: number): Indicator => indicators[row] as Indicator;
    const reach = reachOf(indicators.map((indicator) => intervalOf(indicator.reward)));
    return [
      { key: 'sli', title: 'indicator', width: 140, sort: (row) => at(row).sli, cell: (row) => <span title={sliAbout(at(row).sli)}>{sliName(at(row).sli)}</span> },
      { key: 'finding', title: 'finding', width: 146, sort: (row) => at(row).finding, cell: (row) => <Badge word={at(row).finding} /> },
      { key: 'reward', title: 'better by', about: 'ln(baseline / canary), with an interval that holds at every look', width: 220, number: true, sort: (row) => at(row).reward.value, cell: (row) => <RatioText ratio={at(row).reward} digits={2} /> },
      { key: 'mark', title: 'interval', width: 140, cell: (row) => <IntervalMark reward={intervalOf(at(row).reward)} reach={reach} /> },
      { key: 'baseline', title: 'baseline', width: 112, number: true, sort: (row) => at(row).baseline, cell: (row) => sliValue(at(row).sli, at(row).baseline) },
      { key: 'canary', title: 'canary', width: 112, number: true, sort: (row) => at(row).canary, cell: (row) => sliValue(at(row).sli, at(row).canary) },
      { key: 'detectable', title: 'would be seen', about: 'harm that would be found, nine times in ten', width: 118, number: true, sort: (row) => at(row).detectable, cell: (row) => share(at(row).detectable) },
      { key: 'tolerance', title: 'tolerated', about: 'harm that must be ruled out before a promotion', width: 92, number: true, sort: (row) => at(row).tolerance, cell: (row) => share(at(row).tolerance) },
      { key: 'windows', title: 'windows', about: 'that told both groups', width: 90, number: true, sort: (row) => at(row).windows, cell: (row) => count(at(row).windows) },
    ];
  }, [indicators]);
  const [order, setOrder] = useOrder('indicators', columns, kAsGiven);
  return <DataTable caption="Indicators" columns={columns} rows={range(indicators.length)} order={order} onOrder={setOrder} empty="It is judged by no indicator." />;
}

export function LimitsTable({ indicators, ratios }: { indicators: Indicator[]; ratios: RatioColumns }) {
  const limited = useMemo(() => indicators.flatMap((indicator) => indicator.limit === null ? [] : [{ sli: indicator.sli, limit: indicator.limit, ...worstWindow(ratios, indicator.sli, indicator.limit) }]), [indicators, ratios]);
  const columns = useMemo((): Column[] => {
    const at = (row: number) => limited[row] as (typeof limited)[number];
    return [
      { key: 'sli', title: 'indicator', width: 104, cell: (row) => sliName(at(row).sli) },
      { key: 'limit', title: 'limit', width: 80, number: true, cell: (row) => sliValue(at(row).sli, at(row).limit) },
      { key: 'worst', title: 'worst window', width: 156, number: true,
        cell: (row) => at(row).worst === null ? <span class="quiet">{kNotMeasured}</span> : <span class={at(row).above > 0 ? 'loss' : ''}>{sliValue(at(row).sli, at(row).worst)} <span class="quiet">window {at(row).window}</span></span> },
      { key: 'above', title: 'above', about: 'windows above the limit; it is breached where one is so with 99.9 % confidence', width: 76, number: true, cell: (row) => at(row).worst === null ? '–' : count(at(row).above) },
    ];
  }, [limited]);
  return <DataTable caption="Hard limits" columns={columns} rows={range(limited.length)} order={kAsGiven} empty="The service has no hard limit." />;
}

export function WindowsTable({ windows, rows }: { windows: WindowColumns; rows: number }) {
  const columns = useMemo((): Column[] => {
    const number = (column: (number | null)[]) => ({
      number: true, width: 96, sort: (row: number) => column[row] ?? null,
      cell: (row: number) => { const value = column[row] ?? null; return value === null ? <span class="quiet">lost</span> : count(Math.round(value)); },
    });
    const outcome = (column: string[]) => ({
      width: 130, sort: (row: number) => column[row] ?? null,
      cell: (row: number) => column[row] === 'ok' ? 'ok' : <Badge word={column[row]} />,
    });
    return [
      { key: 'number', title: 'window', width: 80, number: true, sort: (row) => windows.number[row] ?? null, cell: (row) => windows.number[row] },
      { key: 'start', title: 'began', width: 150, sort: (row) => windows.start[row] ?? null, cell: (row) => <span title={`${windows.seconds[row]} s long`}>{moment(new Date(windows.start[row] ?? 0).toISOString())}</span> },
      { key: 'share', title: 'share', width: 66, number: true, sort: (row) => windows.share[row] ?? null, cell: (row) => `${windows.share[row]} %` },
      { key: 'baseline', title: 'baseline', ...outcome(windows.baseline) },
      { key: 'baseline_requests', title: 'requests', ...number(windows.baseline_requests) },
      { key: 'baseline_failures', title: 'failures', ...number(windows.baseline_failures) },
      { key: 'canary', title: 'canary', ...outcome(windows.canary) },
      { key: 'canary_requests', title: 'requests', ...number(windows.canary_requests) },
      { key: 'canary_failures', title: 'failures', ...number(windows.canary_failures) },
    ];
  }, [windows]);
  const [order, setOrder] = useOrder('windows', columns, { key: 'number', down: true });
  return <DataTable caption="Windows" columns={columns} rows={range(rows)} order={order} onOrder={setOrder} height={320} empty="No window is over yet." />;
}
