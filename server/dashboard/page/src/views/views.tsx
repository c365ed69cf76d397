// Which view a URL names. Every one has its own place below /ui, so that it can be shared.
import type { JSX } from 'preact';
import { pathTo, type Place } from '../route/router';
import { lazy } from './lazy';
import { OverviewView } from './overview/overview_view';

const CampaignList = lazy(async () => (await import('./campaign_list')).CampaignList);
const CampaignView = lazy(async () => (await import('./campaign/campaign_view')).CampaignView);
const CanaryList = lazy(async () => (await import('./canaries/canary_list')).CanaryList);
const CanaryView = lazy(async () => (await import('./canaries/canary_view')).CanaryView);
const ExplorerView = lazy(async () => (await import('./explorer/explorer_view')).ExplorerView);
const FleetView = lazy(async () => (await import('./fleet/fleet_view')).FleetView);
const HistoryView = lazy(async () => (await import('./history/history_view')).HistoryView);
const JobView = lazy(async () => (await import('./job/job_view')).JobView);
const PolicyList = lazy(async () => (await import('./policies/policy_list')).PolicyList);
const PolicyView = lazy(async () => (await import('./policies/policy_view')).PolicyView);
const TargetList = lazy(async () => (await import('./target_list')).TargetList);

export interface View {
  title: string;
  show: () => JSX.Element;
}

export function viewOf(place: Place): View {
  const [kind = 'overview', id] = place.parts;
  if (place.parts.length > 2) {
    return nothing;
  }
  switch (kind) {
    case 'overview':
    case 'sign-in':
      return { title: 'Overview', show: () => <OverviewView /> };
    case 'campaigns':
      return id === undefined
        ? { title: 'Campaigns', show: () => <CampaignList /> }
        : { title: `Campaign ${id.slice(0, 8)}`, show: () => <CampaignView key={id} id={id} /> };
    case 'candidates':
      return id === undefined ? nothing : { title: 'Candidate', show: () => <JobView key={id} kind="candidates" id={id} /> };
    case 'jobs':
      return id === undefined ? nothing : { title: 'Job', show: () => <JobView key={id} kind="jobs" id={id} /> };
    case 'targets':
      return id === undefined
        ? { title: 'History', show: () => <TargetList /> }
        : { title: `History of ${id}`, show: () => <HistoryView key={id} target={id} /> };
    case 'fleet':
      return { title: 'Fleet', show: () => <FleetView /> };
    case 'policies':
      return id === undefined
        ? { title: 'Policies', show: () => <PolicyList /> }
        : { title: `Policies of ${id}`, show: () => <PolicyView key={id} target={id} /> };
    case 'canaries':
      return id === undefined
        ? { title: 'Canaries', show: () => <CanaryList /> }
        : { title: `Canary ${id.slice(0, 8)}`, show: () => <CanaryView key={id} id={id} /> };
    case 'explorer':
      return { title: 'Explorer', show: () => <ExplorerView /> };
    default:
      return nothing;
  }
}

const nothing: View = {
  title: 'Not found',
  show: () => (
    <>
      <h1 tabIndex={-1}>There is no such view</h1>
      <p>
        <a href={pathTo('overview')}>Overview</a>
      </p>
    </>
  ),
};
