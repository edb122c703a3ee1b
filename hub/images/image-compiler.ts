/**
 * Compiles modules for publishers who have no compiler (docs/spec/hub-api.md#compile): one at a time in this process of the
 * hub, in the order of the requests. A publisher has one that is compiled or waits, so that many requests of one publisher delay others
 * by one compilation, which may take all of its time.
 */
import { Fault } from "../../protocol/fault.js";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import type { HubContext } from "../context.js";
import { FairSemaphore } from "../files/fair-semaphore.js";
import { COMPILE_LIMITS, type CompileLimits, compileInProcess } from "./compile-process.js";
import type { CompileRequest } from "./image-request.js";

/** Requests that wait, with modules of up to 1 MiB. */
const QUEUE_LIMIT = 8;

/** Longer than one compilation may take; with it, below the clients' timeout. */
const QUEUE_TIMEOUT_MS = 90_000;

/** Most compilations are over by then. */
const RETRY_AFTER_S = 5;

/** `refused`: for what is in the module; `cancelled`: the client is gone, or the hub ends. */
export type CompileOutcome = "compiled" | "refused" | "failed" | "cancelled";
export const COMPILE_OUTCOMES: readonly CompileOutcome[] = ["compiled", "refused", "failed", "cancelled"];

export interface ImageCompilerOptions extends Pick<HubContext, "config" | "logger"> {
  /** Called for each module whose turn has come, and is over. */
  readonly onEnded: (outcome: CompileOutcome) => void;
  /** Others in tests. */
  readonly limits?: CompileLimits;
  readonly searchPath?: string;
}

export interface Compilation extends CompileRequest {
  /** The id of the publisher who asks. */
  readonly publisherId: string;
  readonly module: Uint8Array;
  /** Aborted once nobody wants the result. */
  readonly signal: AbortSignal;
}

export class ImageCompiler {
  readonly #options: ImageCompilerOptions;
  readonly #turns = new FairSemaphore({
    capacity: 1,
    share: 1,
    queueLimit: QUEUE_LIMIT,
    queueShare: 1,
    timeoutMs: QUEUE_TIMEOUT_MS,
    createError: () => busy(),
  });
  readonly #closing = new AbortController();
  /** Publishers who have a module here. */
  readonly #owners = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: ImageCompilerOptions) {
    this.#options = options;
  }

  /** Call it before the body is read. @throws {Fault} `compile_off` */
  requireOffered(architecture: VariantArchitecture): void {
    const offered = this.#options.config.compiledArchitectures;
    if (offered.includes(architecture)) return;
    const what = offered.length === 0 ? "no modules" : `modules for ${offered.join(", ")} alone`;
    throw new Fault("compile_off", `Cannot compile for ${architecture}: this hub compiles ${what}`);
  }

  /**
   * @returns the container, unsigned
   * @throws {Fault} `compile_off`, `busy`, `compiler_missing`, `compile_failed`, and what a console would refuse the module for
   */
  async compile(compilation: Compilation): Promise<Uint8Array> {
    this.requireOffered(compilation.architecture);
    const { publisherId: owner } = compilation;
    if (this.#owners.has(owner)) throw busy("The hub is compiling another module of this publisher");
    this.#owners.add(owner);
    const running = this.#inTurn(compilation);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#owners.delete(owner);
    }
  }

  /** Ends what is compiled and what waits, with `busy`. Its directories are gone when this resolves. May be called twice. */
  async close(): Promise<void> {
    this.#closing.abort(busy("The hub is ending"));
    await Promise.allSettled(this.#running);
  }

  async #inTurn(compilation: Compilation): Promise<Uint8Array> {
    const signal = AbortSignal.any([compilation.signal, this.#closing.signal]);
    const release = await this.#turns.take({ owner: compilation.publisherId, size: 1 }, signal);
    try {
      return await this.#compile(compilation, signal);
    } finally {
      release();
    }
  }

  async #compile(
    { architecture, manifest, module, publisherId }: Compilation,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const {
      logger,
      onEnded,
      limits = COMPILE_LIMITS,
      searchPath = process.env["PATH"] ?? "",
    } = this.#options;
    const request = { architecture, manifest };
    try {
      const image = await compileInProcess({ module, request, signal, limits, searchPath });
      onEnded("compiled");
      return image;
    } catch (error) {
      const outcome = signal.aborted ? "cancelled" : outcomeOf(error);
      if (outcome === "refused" && (error as Fault).cause)
        logger.warn({ err: error, publisher: publisherId, arch: architecture }, "a module was not compiled");
      onEnded(outcome);
      throw error;
    }
  }
}

function outcomeOf(error: unknown): CompileOutcome {
  return error instanceof Fault && error.status < 500 ? "refused" : "failed";
}

function busy(message = "The hub is compiling for others"): Fault {
  return new Fault("busy", message, { details: { retry_after_s: RETRY_AFTER_S } });
}
