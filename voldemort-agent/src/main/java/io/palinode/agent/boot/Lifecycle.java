package io.palinode.agent.boot;

/** Observes start and stop of the server's storage. */
public interface Lifecycle {
  /** All stores are open, and the server serves no client yet. May wait. */
  void storageStarted(Object storageService);

  /** The server serves no client any more; the stores are still open. */
  void storageStopping(Object storageService);
}
