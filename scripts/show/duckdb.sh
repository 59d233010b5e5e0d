#!/usr/bin/env bash
# Shows that rows.parquet is a table for others: DuckDB reads it, its mean regret at the end is summary.json's in every cell,
# and units, meanings and settings of columns are in it; pandas reads rows.jsonl, if Python has it. DuckDB comes from npm,
# into a folder that is removed afterwards.
# Usage: scripts/show/duckdb.sh [FILE [KEY=VALUE...]], an experiment to play with other settings
set -euo pipefail
cd "$(dirname "$0")/../.."
duckdb=1.5.4-r.1
file=${1:-configs/figures/baselines.yaml}
shift || true
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
settings=(privacy.horizon=1000 experiment.seeds=10 "$@")
go run ./cmd/peerd experiment run "$file" "${settings[@]/#/--set=}" -o "$tmp/runs" >"$tmp/table.txt"
npm install --silent --no-audit --no-fund --prefix "$tmp" "@duckdb/node-api@$duckdb"
cat >"$tmp/read.mjs" <<'JS'
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const db = await (await DuckDBInstance.create()).connect();
const ask = async (sql) => (await db.runAndReadAll(sql)).getRowObjectsJson();
const folder = process.argv[2];
for (const file of ['rows.parquet', 'rows.jsonl']) {
  const cells = await ask(`select cell, avg(regret) as regret, count(distinct seed)::int as seeds
    from '${folder}/${file}' where round = (select max(round) from '${folder}/${file}') group by cell`);
  const mean = new Map(cells.map((c) => [c.cell, c.regret]));
  for (const c of JSON.parse(readFileSync(`${folder}/summary.json`)).cells) {
    const off = Math.abs(mean.get(c.cell) - c.regret.mean);
    console.log(`${file}  ${c.cell}: mean regret ${mean.get(c.cell)}, summary.json ${c.regret.mean}`);
    if (!(off <= 1e-9 * Math.abs(c.regret.mean))) {
      console.error('they differ');
      process.exit(1);
    }
  }
}
const said = Object.fromEntries((await ask(`select decode(key) as key, decode(value) as value
  from parquet_kv_metadata('${folder}/rows.parquet')`)).map((r) => [r.key, r.value]));
console.log(`${said.experiment}, schema ${said.schema}`);
for (const c of await ask(`describe select * from '${folder}/rows.parquet'`)) {
  const { [`${c.column_name}.unit`]: unit, [`${c.column_name}.description`]: meaning, [`${c.column_name}.setting`]: key } = said;
  console.log(`${c.column_name}  ${c.column_type}  ${unit ?? key ?? '-'}  ${meaning ?? '-'}`);
  if (!meaning) {
    console.error('has no meaning');
    process.exit(1);
  }
}
if (said['regret.unit'] !== 'rewards' || said['round.unit'] !== 'rounds') process.exit(1);
JS
node "$tmp/read.mjs" "$tmp/runs"
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import pandas' 2>/dev/null; then
		"$python" - "$tmp/runs" <<'PY'
import json, sys
import pandas as pd
rows = pd.read_json(sys.argv[1] + '/rows.jsonl', lines=True)
mean = rows[rows['round'] == rows['round'].max()].groupby('cell')['regret'].mean()
for cell in json.load(open(sys.argv[1] + '/summary.json'))['cells']:
    assert abs(mean[cell['cell']] - cell['regret']['mean']) <= 1e-9 * cell['regret']['mean'], cell['cell']
print('pandas', pd.__version__, 'reads rows.jsonl and finds the same means')
PY
		exit
	fi
done
echo 'no Python with pandas here (Debian has python3-pandas): rows.jsonl was read by DuckDB alone'
