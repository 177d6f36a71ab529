import './style.css';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { isSignedIn, signOut } from './api.ts';
import { Imports } from './imports.tsx';
import { arriveFromProvider } from './provider.ts';
import { SignIn } from './sign-in.tsx';

function Console({ why }: { why: string }) {
  const [signedIn, setSignedIn] = useState(isSignedIn());
  const [reason, setReason] = useState(why);
  if (!signedIn) return <SignIn reason={reason} onSignedIn={() => setSignedIn(true)} />;
  return (
    <Imports
      onSignedOut={(why) => {
        signOut();
        setReason(why);
        setSignedIn(false);
      }}
    />
  );
}

const root = createRoot(document.getElementById('page')!);
void arriveFromProvider().then((why) =>
  root.render(
    <StrictMode>
      <Console why={why} />
    </StrictMode>,
  ),
);
