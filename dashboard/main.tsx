import './styles/tokens.css';
import './styles/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query/query-client.ts';
import { router } from './app/routing/router.tsx';
import { session } from './app/session/browser-session.ts';

// In parallel with the page's own script.
session.restore();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>,
  );
