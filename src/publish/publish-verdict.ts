import type { Note } from '../measure/measurement.ts';
import { escapeMarkdown } from '../report/escape.ts';
import { COMMENTING, noteOfFailure, SETTING_STATUS } from './api-notes.ts';
import type { CommentApi, CommitStatus } from './github-api.ts';
import type { WantedComment } from './plan-comment.ts';
import type { Annotation, CommentMode, Publication, Published, PublishTarget, RunRef } from './publisher.ts';
import { PENDING_STATUS, statusOf } from './status.ts';
import { fitAnnotations } from './step-limits.ts';
import { syncComment } from './sticky-comment.ts';

/** What publishing needs from the world. */
export interface PublishEdges {
  /** The pull request's comments; null where there is no pull request. */
  readonly comments: CommentApi | null;
  setStatus(status: CommitStatus): Promise<void>;
  appendSummary(markdown: string): Promise<void>;
  annotate(annotation: Annotation): void;
}

export interface PublishOptions {
  readonly target: PublishTarget;
  readonly run: RunRef;
  readonly commentMode: CommentMode;
  readonly statusContext: string;
  /** `leave-to-others`: the token of this event can't write one (a fork's run), another run will. Default `set`. */
  readonly statusPolicy?: 'set' | 'leave-to-others';
}

const LEFT_TO_OTHERS: Note = {
  code: 'status-left-to-others',
  text: "this run's token can write neither status nor comment (a fork's can't): its job's result is the gate, until a run with `command: publish` posts it",
};

/** Says on the head commit that the gate is at work. */
export async function announce(edges: PublishEdges, options: PublishOptions): Promise<readonly Note[]> {
  return setStatus(edges, options, PENDING_STATUS);
}

/** Status first (it unblocks people), then the comment, then the summary with what could not be published. */
export async function publish(
  edges: PublishEdges,
  options: PublishOptions,
  publication: Publication,
): Promise<Published> {
  const statusNotes = await setStatus(edges, options, statusOf(publication));
  const comment = await writeComment(edges, options, publication);
  const notes = [...statusNotes, ...comment.notes];
  const summaryNotes = await writeSummary(edges, publication.summary, notes);
  const warnings = [...notes, ...summaryNotes].map(warningOf);
  for (const annotation of fitAnnotations([...publication.annotations, ...warnings])) edges.annotate(annotation);
  return { commentUrl: comment.url, notes: [...notes, ...summaryNotes] };
}

async function setStatus(edges: PublishEdges, options: PublishOptions, status: CommitStatus): Promise<Note[]> {
  if (options.statusPolicy === 'leave-to-others') return status.state === 'pending' ? [] : [LEFT_TO_OTHERS];
  try {
    await edges.setStatus(status);
    return [];
  } catch (thrown) {
    return [noteOfFailure(SETTING_STATUS, thrown)];
  }
}

async function writeComment(
  edges: PublishEdges,
  options: PublishOptions,
  publication: Publication,
): Promise<{ url: string | null; notes: Note[] }> {
  if (edges.comments === null) return { url: null, notes: [] };
  try {
    const { url } = await syncComment(edges.comments, wantedComment(options, publication));
    return { url, notes: [] };
  } catch (thrown) {
    return { url: null, notes: [noteOfFailure(COMMENTING, thrown)] };
  }
}

function wantedComment(options: PublishOptions, publication: Publication): Omit<WantedComment, 'currentHead'> {
  return {
    context: options.statusContext,
    mode: options.commentMode,
    headSha: options.target.headSha,
    runId: options.run.id,
    runAttempt: options.run.attempt,
    outcome: publication.outcome,
    models: publication.models,
    body: publication.commentBody,
  };
}

async function writeSummary(edges: PublishEdges, summary: string, notes: readonly Note[]): Promise<Note[]> {
  const lines = notes.map(({ text }) => `> ⚠️ ${escapeMarkdown(text)}`);
  try {
    await edges.appendSummary(lines.length === 0 ? summary : `${lines.join('\n>\n')}\n\n${summary}`);
    return [];
  } catch (thrown) {
    return [
      noteOfFailure(
        {
          code: 'summary-not-written',
          failed: 'the job summary could not be written',
          permission: 'none',
          instead: 'the report is in the verdict file',
        },
        thrown,
      ),
    ];
  }
}

function warningOf({ text }: Note): Annotation {
  return { level: 'warning', title: 'Model Gate', message: text };
}
