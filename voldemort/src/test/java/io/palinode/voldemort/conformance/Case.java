package io.palinode.voldemort.conformance;

import java.util.Arrays;
import java.util.List;

/** An exchange on one connection, step by step. */
record Case(String name, Scope scope, Dialect dialect, List<Step> steps) {
  /** Of which nodes it is right. */
  enum Scope {
    ALL,
    /** A case in which a stock node hangs, behaves unreliably, or lets clients do harm. */
    OURS
  }

  /** Bytes that are sent together, and the answers that follow. */
  record Step(byte[] bytes, List<Asked> asked, boolean inPieces) {}

  record Asked(Call.Op op, Expected expected) {}

  static Step raw(byte[] bytes, Call.Op op, Expected expected) {
    return new Step(bytes, List.of(new Asked(op, expected)), false);
  }

  Case inPieces() {
    return new Case(
        name + ", byte by byte",
        scope,
        dialect,
        steps.stream().map(step -> new Step(step.bytes(), step.asked(), true)).toList());
  }

  Case of(Scope newScope) {
    return new Case(name, newScope, dialect, steps);
  }

  static Case of(Dialect dialect, String name, Step... steps) {
    return new Case(name, Scope.ALL, dialect, Arrays.asList(steps));
  }

  @Override
  public String toString() {
    return dialect.protocol() + ": " + name;
  }
}
