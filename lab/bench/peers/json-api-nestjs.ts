import 'reflect-metadata'
import type { AddressInfo } from 'node:net'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { TypeOrmModule } from '@nestjs/typeorm'
import { JsonApiModule } from 'json-api-nestjs'
import {
  Column,
  Entity,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm'
import { createDatabase } from './data.ts'
import { createGuard, options, ready } from './guard.ts'

// json-api-nestjs over TypeORM and better-sqlite3, on the tables of the migrations. Decorators are called as the
// functions that they are: Node runs TypeScript, but decorators are no part of what it strips.
class Currencies {}
class Countries {}
class Users {}

type Decorator = (target: object, name: string) => void

function member(
  entity: { readonly prototype: object },
  name: string,
  type: unknown,
  ...decorators: Decorator[]
): void {
  Reflect.defineMetadata('design:type', type, entity.prototype, name)
  for (const decorate of decorators) {
    decorate(entity.prototype, name)
  }
}

const text = (name: string, options: object = {}): Decorator =>
  Column({ type: 'text', name, ...options })
const id = PrimaryColumn({ type: 'text' })
const through = (name: string, owner: string, target: string): Decorator =>
  JoinTable({ name, joinColumn: { name: owner }, inverseJoinColumn: { name: target } })

for (const [entity, name] of [
  [Currencies, 'currencies'],
  [Countries, 'countries'],
  [Users, 'users'],
] as const) {
  Entity({ name })(entity)
  member(entity, 'id', String, id)
}
member(Currencies, 'name', String, text('name'))
member(Currencies, 'symbol', String, text('symbol'))
member(Countries, 'name', String, text('name'))
member(Countries, 'region', String, text('region'))
member(
  Countries,
  'currencies',
  Array,
  ManyToMany(() => Currencies),
  through('country_currencies', 'country_id', 'currency_id'),
)
member(Users, 'fullName', String, text('full_name'))
member(Users, 'email', String, text('email'))
member(Users, 'addresses', Object, Column({ type: 'simple-json', name: 'addresses' }))
member(
  Users,
  'citizenships',
  Array,
  ManyToMany(() => Countries),
  through('user_citizenships', 'user_id', 'country_id'),
)
member(
  Users,
  'placeOfBirth',
  Countries,
  ManyToOne(() => Countries),
  JoinColumn({ name: 'place_of_birth' }),
)
member(
  Users,
  'relatives',
  Array,
  ManyToMany(() => Users),
  through('user_relatives', 'user_id', 'relative_id'),
)

const database = await createDatabase(options.folder, options.people)

/** The ids are not numbers, which the library expects by default. */
class AnyId {
  transform(value: unknown): unknown {
    return value
  }
}

const entities = [Users, Countries, Currencies]
class App {}
Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database, entities, synchronize: false }),
    JsonApiModule.forRoot({
      entities,
      options: { requiredSelectField: false, debug: false, pipeForId: AnyId },
    }),
  ],
})(App)

const guard = createGuard(options)
const app = await NestFactory.create(App, { logger: false })
app.setGlobalPrefix('jsonapi')
// biome-ignore lint/suspicious/noExplicitAny: the types of Express are no part of this package
app.use(async (request: any, response: any, next: () => void) => {
  const { status, headers } = await guard(request.headers.authorization, request.url)
  response.set(headers)
  if (status === 200) {
    next()
  } else {
    response.status(status).end()
  }
})
await app.listen(0, '127.0.0.1')
ready((app.getHttpServer().address() as AddressInfo).port)
