// What stands beside the reward: size, compile time, machine, toolchain.
import type { Binary, JobPage, JobResult } from '../../api/shapes_campaign';
import { bytes, count, fixed, kNotMeasured, significant } from '../../format/number';
import { percent } from '../../format/reward';
import { moment, seconds } from '../../format/time';
import { pathTo } from '../../route/router';
import { Facts, Panel } from '../../ui/panel';

function sum(binaries: Binary[] | undefined, of: (binary: Binary) => number | undefined): number | null {
  if (!binaries || binaries.length === 0) {
    return null;
  }
  const total = binaries.reduce((whole, binary) => whole + (of(binary) ?? 0), 0);
  return total > 0 ? total : null; // 0: no ELF file, so it is not known
}

function beside(base: number | null, own: number | null, text: (value: number) => string): string {
  if (own === null) {
    return kNotMeasured;
  }
  if (base === null) {
    return text(own);
  }
  return `${text(base)} → ${text(own)} (${percent(Math.log(own / base), 2)})`;
}

export function BesidePanel({ page }: { page: JobPage }) {
  const result: Partial<JobResult> = page.job.result ?? {};
  const { machine = {}, toolchain = {} } = result;
  const size = (of: (binary: Binary) => number | undefined): string =>
    beside(sum(result.baseline_binaries, of), sum(result.binaries, of), (value) => bytes(value));
  return (
    <Panel title="Beside it">
      <Facts
        items={[
          ['text size', size((binary) => binary.text_bytes)],
          ['binary size', size((binary) => binary.size_bytes)],
          // A baseline that was built for another job took no time here.
          ['compile time', beside(result.baseline_build_seconds || null, result.build_seconds || null, (value) => `${significant(value, 3)} s`)],
          ['measuring took', result.measure_seconds === undefined ? kNotMeasured : seconds(result.measure_seconds)],
          ['links measured', result.links === undefined ? kNotMeasured : `${count(result.links)} of each side`],
          ['between links', result.layout_sigma === undefined ? kNotMeasured : `${fixed(result.layout_sigma * 100, 2)} % (standard deviation of the same objects)`],
          ['worker', page.worker ? <a href={pathTo('fleet')}>{page.worker}</a> : kNotMeasured],
          ['machine', [machine.host, machine.cpu_model, machine.cpus ? `${machine.cpus} CPUs` : '', machine.memory_mib ? bytes(machine.memory_mib * 2 ** 20) : ''].filter(Boolean).join(', ') || kNotMeasured],
          ['kernel', machine.kernel ?? kNotMeasured],
          ['compiler', toolchain.compiler ?? kNotMeasured],
          ['linker', toolchain.linker ?? kNotMeasured],
          ['launcher', [toolchain.launcher_version, toolchain.plugin_sha256 ? `plugin ${toolchain.plugin_sha256.slice(0, 12)}` : ''].filter(Boolean).join(', ') || kNotMeasured],
          ['target', <a href={pathTo('targets', page.job.target)}>{`${page.job.target}, version ${page.target_version}`}</a>],
          ['commit', page.commit ? <code>{page.commit}</code> : 'a source archive, no commit'],
          ['submitted', moment(page.job.created_at)],
          ['ended', moment(page.job.finished_at)],
        ]}
      />
    </Panel>
  );
}
