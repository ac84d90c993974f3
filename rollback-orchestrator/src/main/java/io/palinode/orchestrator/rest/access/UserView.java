package io.palinode.orchestrator.rest.access;

import org.jspecify.annotations.Nullable;

/**
 * The user of a request.
 *
 * @param name null: the API has no users
 * @param role without users that of an admin
 */
public record UserView(@Nullable String name, String role) {}
