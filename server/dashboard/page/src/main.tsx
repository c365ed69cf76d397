import { render } from 'preact';
import { App } from './app';
import { askEarly } from './api/early';
import { followLinks, placeOf } from './route/router';
import { token } from './sign_in/token';
import { startTheme } from './ui/theme';
import './style/all.css';

const page = document.getElementById('page');
if (page) {
  const { parts } = placeOf(location.pathname, '');
  if (parts[0] === 'campaigns' && parts[1] !== undefined && token() !== null) {
    askEarly(`/v1/views/campaigns/${encodeURIComponent(parts[1])}`);
    void import('./views/campaign/campaign_view').catch(() => undefined); // told where it is needed
  }
  startTheme();
  followLinks(page);
  render(<App />, page);
}
