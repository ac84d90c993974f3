package io.palinode.hazelcast.member;

/** An operation that a plan does not refuse. */
interface OfPlan {}
