package io.palinode.orchestrator.rest.access;

/** A user of the API; {@code name} is for the audit log. */
public record User(String name, Role role) {}
