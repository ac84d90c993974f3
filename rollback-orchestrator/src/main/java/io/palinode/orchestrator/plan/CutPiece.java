package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.IntervalRef;
import java.util.List;

/** A part of the terms that hold on a cut at one node. */
public record CutPiece(int node, List<IntervalRef> holding) {}
