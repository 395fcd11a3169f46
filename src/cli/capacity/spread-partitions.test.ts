import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PARTITIONS, partitionKeys } from '../../store/valkey/keys.ts'
import { balancedShardsFor, partitionsOfBusiest, shardsFor, slotOf } from './spread-partitions.ts'

test('slots are those of the cluster specification', () => {
  assert.equal(slotOf('123456789'), 12_739)
  assert.equal(slotOf('{user1000}.following'), slotOf('user1000'))
})

test('each partition has a slot of its own, so that slots can be moved one by one', () => {
  const slots = Array.from({ length: PARTITIONS }, (_, at) => slotOf(partitionKeys(at).usage))
  assert.equal(new Set(slots).size, PARTITIONS)
})

test('one shard has all partitions, and a cluster at least three shards', () => {
  assert.equal(partitionsOfBusiest(1), PARTITIONS)
  assert.equal(shardsFor(1), 1)
  assert.equal(shardsFor(Infinity), 1)
  // Two would be enough.
  assert.equal(shardsFor(0.6), 3)
  assert.equal(balancedShardsFor(0.6), 3)
})

test('the busiest shard has no more than the share, if that is possible', () => {
  for (const share of [0.5, 0.3, 0.1, 0.05, 0.02])
    assert.ok(partitionsOfBusiest(shardsFor(share)) <= share * PARTITIONS)
  const fewest = partitionsOfBusiest(shardsFor(0))
  for (let shards = 3; shards <= PARTITIONS; shards += 1)
    assert.ok(partitionsOfBusiest(shards) >= fewest)
  assert.equal(balancedShardsFor(0), PARTITIONS)
})
