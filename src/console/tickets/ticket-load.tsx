import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { SignedOut } from '../server/request.ts';
import { type Candidate, findJobs, linkTicket, readTicket, type Ticket, type Wanted } from './tickets-api.ts';

interface Props {
  id: string;
  company: string;
  /** The company's time zone. */
  zone: string | undefined;
  /** The sender's name of its order, to look for first; the order that it has by default. */
  words?: string;
  mayLink: boolean;
  when: (instant: string | null) => string;
  /** Called when the ticket has a load now. */
  onLinked: (message: string) => void;
  onFailed: (error: unknown) => void;
}

/** The load of a ticket, or the way to one: jobs are looked for, and a person links the ticket to a load of one of them. */
export function TicketLoad({ id, company, zone, words, mayLink, when, onLinked, onFailed }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [ticket, setTicket] = useState<Ticket>();
  const [problem, setProblem] = useState('');
  const refused = useCallback(
    (error: unknown) => {
      if (error instanceof SignedOut) onFailed(error);
      else setProblem((error as Error).message);
    },
    [onFailed],
  );
  const load = useCallback(async () => {
    try {
      setTicket(await readTicket(id, company));
    } catch (error) {
      refused(error);
    }
  }, [id, company, refused]);
  useEffect(() => void load(), [load]);
  const link = async (loadId: string, name: string) => {
    setProblem('');
    try {
      await linkTicket(id, loadId, company);
    } catch (error) {
      return refused(error);
    }
    await load();
    heading.current?.focus();
    onLinked(`The ticket is linked to load ${name}.`);
  };
  const unlinked = ticket?.state === 'new';
  return (
    <section aria-labelledby="ticket-load">
      <h3 id="ticket-load" ref={heading} tabIndex={-1}>
        Load
      </h3>
      <p aria-live="polite">{ticket && sentenceOf(ticket, mayLink)}</p>
      <p role="alert">{problem}</p>
      {ticket && unlinked && mayLink && zone && (
        <Jobs
          first={{ words: words ?? ticket.order?.orderId ?? '', day: dayOf(ticket.serviceDate, zone), truck: '' }}
          company={company}
          when={when}
          onLink={link}
          onFailed={refused}
        />
      )}
    </section>
  );
}

function sentenceOf({ state, load, job, order }: Ticket, mayLink: boolean): string {
  if (load) return `The ticket is ${state}, with load ${load.loadId}${job ? ` of job ${job.jobId}` : ''}.`;
  if (state !== 'new') return `The ticket is ${state}, without a load.`;
  const of = order ? ` It belongs to order ${order.orderId}.` : '';
  return `The ticket has no load.${of}${mayLink ? '' : ' Whoever may edit tickets can link it.'}`;
}

/** Returns the day of an instant in a zone, as inputs of dates have it. */
const dayOf = (instant: string | null, zone: string): string =>
  instant === null ? '' : new Date(instant).toLocaleDateString('sv', { timeZone: zone });

/** Looks for jobs, and offers their loads without tickets. */
function Jobs(props: {
  first: Wanted;
  company: string;
  when: (instant: string | null) => string;
  onLink: (loadId: string, name: string) => Promise<void>;
  onFailed: (error: unknown) => void;
}) {
  const { first, company, when, onLink, onFailed } = props;
  const [wanted, setWanted] = useState(first);
  const [jobs, setJobs] = useState<Candidate[]>();
  const asked = useRef(0);
  const find = useCallback(
    async (what: Wanted) => {
      const mine = ++asked.current;
      try {
        const found = await findJobs(what, company);
        if (mine === asked.current) setJobs(found);
      } catch (error) {
        if (mine === asked.current) onFailed(error);
      }
    },
    [company, onFailed],
  );
  // Looked for once without being asked, by what the ticket says.
  const begun = useRef(false);
  useEffect(() => {
    if (!begun.current) void find(first);
    begun.current = true;
  }, [find, first]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void find(wanted);
  };
  const field = (name: keyof Wanted, label: string, type: string) => (
    <label>
      {label}
      <input type={type} value={wanted[name]} onChange={(event) => setWanted({ ...wanted, [name]: event.target.value })} />
    </label>
  );
  return (
    <>
      <form className="filters" aria-label="Find the job" onSubmit={submit}>
        {field('words', 'Order, dispatch number or customer', 'search')}
        {field('day', 'Day', 'date')}
        {field('truck', 'Truck', 'search')}
        <button type="submit">Find jobs</button>
      </form>
      <p role="status">{jobs && countOf(jobs)}</p>
      <ul className="jobs">
        {jobs?.map((job) => (
          <Job key={job.id} job={job} when={when} onLink={onLink} />
        ))}
      </ul>
    </>
  );
}

function countOf({ length }: readonly Candidate[]): string {
  if (length === 0) return 'No job was found. Change the order, the day or the truck.';
  return length === 1 ? '1 job.' : `${length} jobs.`;
}

function Job({
  job,
  when,
  onLink,
}: {
  job: Candidate;
  when: (instant: string | null) => string;
  onLink: (loadId: string, name: string) => Promise<void>;
}) {
  const free = job.loads.nodes.toSorted((a, b) => a.ordinality - b.ordinality);
  const [chosen, setChosen] = useState(free[0]?.id);
  const load = free.find(({ id }) => id === chosen);
  const { order } = job;
  const of = [
    `order ${order.externalId ?? order.orderId}`,
    order.account?.name,
    order.dispatchNumber?.name,
    job.equipment?.name,
    job.driver && `${job.driver.firstName} ${job.driver.lastName}`,
  ].filter(Boolean);
  return (
    <li>
      <span>
        <strong>{job.jobId}</strong>, {when(job.jobStartAt)}, {job.state}
        <br />
        {of.join(', ')}
      </span>
      {load ? (
        <span className="acts">
          <label>
            Load
            <select aria-label={`Load of ${job.jobId}`} value={chosen} onChange={(event) => setChosen(event.target.value)}>
              {free.map(({ id, loadId, state }) => (
                <option key={id} value={id}>
                  {loadId}, {state}
                </option>
              ))}
            </select>
          </label>
          <button type="button" aria-label={`Link to a load of ${job.jobId}`} onClick={() => onLink(load.id, load.loadId)}>
            Link
          </button>
        </span>
      ) : (
        <span>Every load has a ticket.</span>
      )}
    </li>
  );
}
