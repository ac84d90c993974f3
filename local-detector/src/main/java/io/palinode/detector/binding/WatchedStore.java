package io.palinode.detector.binding;

/** A store node as the detector needs it. */
public interface WatchedStore extends WriteFeed, NodeClock {}
