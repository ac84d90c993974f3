package io.palinode.store.binding;

import io.palinode.detector.binding.WatchedStore;

/** A store node as the detector and the control duties need it. Our node and the agent are one. */
public interface StoreBinding extends WatchedStore, UndoLog, Serving {}
