import { render } from 'preact';
import { App } from './app';
import { followLinks } from './route/router';
import { startTheme } from './ui/theme';
import './style/all.css';

const page = document.getElementById('page');
if (page) {
  startTheme();
  followLinks(page);
  render(<App />, page);
}
