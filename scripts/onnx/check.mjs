// Runs an exported model and compares with what pegasimd predicted:
//
//	node check.mjs MODEL.onnx MODEL.json DATA PREDICTED
//
// DATA is svmlight text or CSV with the label last, compressed or not. PREDICTED is the output of predict -scores, or of predict
// for a regression. Labels must be equal on every row. Scores may differ by rounding errors of float32, relative to the sum of
// |weight*value|, for which MODEL.json is read. For a table (CSV with a header and no quotes) they may differ by 1e-5, relative
// to scores above 1.

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import * as ort from 'onnxruntime-node'

const [onnxFile, jsonFile, dataFile, predictedFile] = process.argv.slice(2)

function text(name) {
	const bytes = readFileSync(name)
	return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

const lines = (name) => text(name).split('\n').filter((line) => line !== '')

function fail(...message) {
	console.error(`${onnxFile}:`, ...message)
	process.exit(1)
}

const model = JSON.parse(text(jsonFile))
const { features, weights, biases, config, calibration } = model
const pairs = config.multiclass === 'ovo' && model.classes.length > 2
const vectors = weights.length
const magnitude = (row, k) => sizes(row).reduce((sum, v, j) => sum + Math.abs(v * weights[k][j]), biases ? Math.abs(biases[k]) : 0)

// sizes returns the row or, with curves, bounds on the magnitudes of the scaled row and its terms, before shifts cancel.
function sizes(row) {
	const { expansion, shift, factor, term_shift, term_factor } = model.scaling ?? {}
	if (expansion === undefined) return row
	const scaled = Array.from(row, (v, j) => (Math.abs(v) + Math.abs(shift?.[j] ?? 0)) * (factor?.[j] ?? 1))
	const terms = expansion.terms.map(([a, b], k) => {
		const size = expansion.knots ? scaled[a] + Math.abs(expansion.knots[k]) : scaled[a] * scaled[b]
		return (size + Math.abs(term_shift[k])) * term_factor[k]
	})
	return scaled.concat(terms)
}

const encoder = model.table?.encoder && !model.table.raw ? model.table : undefined

// columnsOf returns the inputs for the rows of a table, and the number of rows.
function columnsOf(file) {
	const [header, ...rows] = lines(file).map((line) => line.split(','))
	const feeds = {}
	for (const { name, kind } of encoder.columns) {
		if (kind === 'left out') continue
		const cells = rows.map((row) => row[header.indexOf(name)].trim())
		const values = kind === 'number' ? Float32Array.from(cells, (cell) => (cell === '' ? NaN : Number(cell))) : cells
		const free = name === 'scores' ? '_scores' : name // an output has that name
		feeds[free] = new ort.Tensor(kind === 'number' ? 'float32' : 'string', values, [rows.length, 1])
	}
	return { feeds, rows: rows.length }
}

let data = encoder ? [] : lines(dataFile).map((line) => {
	const row = new Float32Array(features)
	if (!/\.csv(\.gz)?$/.test(dataFile)) {
		for (const pair of line.split(' ').slice(1)) {
			const [index, value] = pair.split(':')
			if (Number(index) <= features && value !== undefined) row[Number(index) - 1] = Number(value)
		}
		return row
	}
	const cells = line.split(',')
	if (cells.slice(0, -1).some((cell) => isNaN(Number(cell)))) return null // the header
	for (let j = 0; j < features; j++) row[j] = Number(cells[j])
	return row
})
data = data.filter((row) => row !== null)
let feeds
if (encoder) {
	const table = columnsOf(dataFile)
	feeds = table.feeds
	data = new Array(table.rows).fill(null)
} else {
	const x = new Float32Array(data.length * features)
	data.forEach((row, i) => x.set(row, i * features))
	feeds = { features: new ort.Tensor('float32', x, [data.length, features]) }
}

let predicted = lines(predictedFile).map((line) => line.split('\t'))
const regression = model.classes.length === 0
if (!regression) predicted = predicted.slice(1)
if (predicted.length !== data.length) fail(`${predicted.length} predictions for ${data.length} rows`)

const session = await ort.InferenceSession.create(onnxFile)
const result = await session.run(feeds)
const classes = regression ? 1 : model.classes.length
const kinds = session.outputNames.filter((name) => name !== 'label')
for (const kind of kinds) {
	const { dims } = result[kind]
	if (dims[0] !== data.length || dims[1] !== classes) fail(`${kind} have the dimensions ${dims}`)
}
if ((calibration !== undefined && !pairs) !== (kinds.length === 2)) fail(`the outputs are ${session.outputNames}`)

const logistic = (z) => 1 / (1 + Math.exp(-z))
const unit = 2 ** -24

// scores returns the scores of a row that pegasimd predicted, and the allowed error of each.
function scores(row, own) {
	if (encoder) {
		const want = regression || vectors > 1 ? own : [-own[0], own[0]]
		return { want, allowed: want.map((z) => 1e-5 * Math.max(1, Math.abs(z))) }
	}
	if (pairs) {
		// Votes are exact. The sum of the pairs' scores adds at most a third of a vote, with a slope of at most a third.
		const most = Math.max(...weights.map((_, k) => magnitude(row, k)))
		return { want: own, allowed: own.map(() => 32 * unit * (1 + most * classes)) }
	}
	const want = regression || vectors > 1 ? own : [-own[0], own[0]]
	return { want, allowed: want.map((_, k) => 32 * unit * magnitude(row, vectors === 1 ? 0 : k)) }
}

// probabilities computes probabilities from scores, like Model.Probabilities.
function probabilities({ want, allowed }) {
	if (calibration === undefined && config.multiclass === 'multinomial') {
		const most = Math.max(...want)
		const sum = want.reduce((s, z) => s + Math.exp(z - most), 0)
		const error = Math.max(...allowed) * 2 + 8 * unit // relative, in each exponential and in their sum
		return { want: want.map((z) => Math.exp(z - most) / sum), allowed: want.map(() => error) }
	}
	let slope = 1
	if (calibration !== undefined) {
		slope = Math.max(...calibration.map(({ a }) => Math.abs(a)))
		const [c] = calibration
		want = vectors > 1 ? want.map((z, k) => -(calibration[k].a * z + calibration[k].b)) : [c.a * want[1] + c.b, -(c.a * want[1] + c.b)]
	}
	const each = want.map(logistic)
	const sum = vectors > 1 ? each.reduce((s, p) => s + p, 0) : 1
	// The slope of the logistic function is at most 1/4, and its argument is rounded.
	const error = allowed.reduce((s, a, k) => s + (a * slope) / 4 + (8 + Math.abs(want[k])) * unit, 0) / sum
	return { want: each.map((p) => p / sum), allowed: each.map(() => error) }
}

let largest = 0 // error, as a share of the allowed error
for (let i = 0; i < data.length; i++) {
	const row = predicted[i]
	if (!regression && String(result.label.data[i]) !== row[0]) fail(`row ${i}: label ${result.label.data[i]}, pegasimd has ${row[0]}`)
	const own = scores(data[i], regression ? [Number(row[0])] : row.slice(1).map(Number))
	for (const kind of kinds) {
		const { want, allowed } = kind === 'probabilities' ? probabilities(own) : own
		want.forEach((w, k) => {
			const have = result[kind].data[i * classes + k]
			const share = have === w ? 0 : Math.abs(have - w) / allowed[k]
			if (!(share <= 1)) fail(`row ${i}, column ${k} of ${kind}: ${have}, pegasimd has ${w}, want an error of at most ${allowed[k]}`)
			largest = Math.max(largest, share)
		})
	}
}
console.log(`${onnxFile.split('/').pop()}: ${data.length} rows agree, ${classes} columns of ${kinds.join(' and of ')}, largest error ${(100 * largest).toFixed(0)} % of the allowed error`)
