-- no balance is below 0 but the house's
-- Finding: account {id} ({kind} of {owner_id}) has {balance_kopecks} kopecks

SELECT id, kind, owner_id, balance_kopecks FROM accounts WHERE balance_kopecks < 0 AND kind <> 'house';
