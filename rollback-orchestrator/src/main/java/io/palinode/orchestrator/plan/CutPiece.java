package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.IntervalRef;
import java.util.List;

/** Some of what holds on a cut at a node. */
public record CutPiece(int node, List<IntervalRef> holding) {}
