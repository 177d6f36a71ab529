import './style.css';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { isSignedIn, signOut } from './api.ts';
import { Imports } from './imports.tsx';
import { SignIn } from './sign-in.tsx';

function Console() {
  const [signedIn, setSignedIn] = useState(isSignedIn());
  const [reason, setReason] = useState('');
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

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
