/**
 * One run, without its processes: its shape as the seed draws it, its logs and disks, the faults
 * that meet processes by the way, and the checks, which see all that happens. Seams are where tests
 * plant bugs.
 */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.world;
