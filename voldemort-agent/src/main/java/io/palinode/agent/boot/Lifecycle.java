package io.palinode.agent.boot;

/** Hears when the server's storage starts and stops. */
public interface Lifecycle {
  /** All stores are open, and no client is served yet. May wait. */
  void storageStarted(Object storageService);

  /** Clients are served no more; the stores are still open. */
  void storageStopping(Object storageService);
}
